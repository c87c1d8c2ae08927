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

/** Stores two records in a chain of their own. Of the first one, the answer was not sent. */
export async function discloseUnsent(
  { disclosureRecords }: ConsentStore,
  time: Temporal.Instant,
  unsent: Partial<DisclosureRecord>,
  sent: Partial<DisclosureRecord>,
): Promise<void> {
  const [first, second] = [makeRecord(unsent), makeRecord(sent)]
  const line = (record: DisclosureRecord) => formatLine({ kind: 'disclosure', ...record })
  const block = sealBlock(emptyChain(randomUUID()), [line(first)], time)
  const marked = [formatLine({ kind: 'unsent', block: block.number }), line(second)]
  await disclosureRecords.append(block, [first])
  await disclosureRecords.append(sealBlock(block, marked, time), [second])
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
