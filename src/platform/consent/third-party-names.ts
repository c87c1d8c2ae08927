import type { ConsentStore } from './store.ts'

/** The names of the registered third parties by their IDs. */
export async function readThirdPartyNames({
  thirdParties,
}: Pick<ConsentStore, 'thirdParties'>): Promise<ReadonlyMap<string, string>> {
  return new Map((await thirdParties.list()).map(({ id, name }) => [id, name]))
}
