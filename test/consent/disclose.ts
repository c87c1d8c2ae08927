import { randomUUID } from 'node:crypto'
import { emptyChain, sealBlock } from '../../src/disclosures/block.ts'
import { type DisclosureRecord, formatLine } from '../../src/disclosures/record.ts'
import type { ConsentStore } from '../../src/platform/consent/store.ts'

export function makeRecord(given: Partial<DisclosureRecord> = {}): DisclosureRecord {
  return {
    operation: 'cds-transactions',
    interactionId: randomUUID(),
    thirdPartyId: 't1',
    consentId: 'r1',
    customerId: 'c1',
    isCustomerPresent: true,
    status: 200,
    scopes: ['bank:transactions:read'],
    accountIds: ['a1'],
    count: 1,
    ...given,
  }
}

/** Stores that data of the scope was disclosed at that time, in a chain of its own. */
export function disclose(
  store: ConsentStore,
  consentId: string,
  scope: string,
  time: Temporal.Instant,
): Promise<void> {
  return discloseRecords(store, time, { consentId, scopes: [scope] })
}

/** Stores records in a block of a chain of its own. */
export async function discloseRecords(
  { disclosureRecords }: ConsentStore,
  time: Temporal.Instant,
  ...given: readonly Partial<DisclosureRecord>[]
): Promise<void> {
  const records = given.map((each) => makeRecord(each))
  const lines = records.map((record) => formatLine({ kind: 'disclosure', ...record }))
  await disclosureRecords.append(sealBlock(emptyChain(randomUUID()), lines, time), records)
}
