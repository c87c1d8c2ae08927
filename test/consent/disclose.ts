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
export async function disclose(
  { disclosureRecords }: ConsentStore,
  consentId: string,
  scope: string,
  time: Temporal.Instant,
): Promise<void> {
  const record = makeRecord({ consentId, scopes: [scope] })
  const line = formatLine({ kind: 'disclosure', ...record })
  await disclosureRecords.append(sealBlock(emptyChain(randomUUID()), [line], time), [record])
}
