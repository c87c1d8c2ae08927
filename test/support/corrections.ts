import { openConsentStore } from '../../src/storage/open.ts'

/** The corrections in a database, as the model of a load formats them, in the order of these texts. */
export async function listCorrections(database: string): Promise<string[]> {
  const { corrections, close } = await openConsentStore(database)
  const found = await corrections.list({ limit: 10_000 })
  await close()
  return found
    .map(({ customerId, type, accountId = '', recordId = '', isDeleted, ...times }) =>
      [
        ...[customerId, type, accountId, recordId],
        isDeleted ? 'deleted' : 'changed',
        times.timeBefore?.epochMilliseconds ?? '',
        times.timeAfter?.epochMilliseconds ?? '',
      ].join('|'),
    )
    .sort()
}
