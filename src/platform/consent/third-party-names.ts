import type { ConsentStore } from './store.ts'

/** The names of the registered third parties by their IDs. */
export async function readThirdPartyNames(
  store: Pick<ConsentStore, 'thirdParties'>,
): Promise<ReadonlyMap<string, string>> {
  return new Map((await store.thirdParties.list()).map(({ id, name }) => [id, name]))
}
