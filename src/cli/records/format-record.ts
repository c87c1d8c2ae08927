import { formatCsvRow } from '../../disclosures/csv.ts'
import { formatPosition } from '../../disclosures/position.ts'
import type { Stored } from '../../disclosures/record.ts'
import type { AnyRecord, Side } from './open-records.ts'

/** The fields of a record of either side. */
export function toPlainRecord({ time, block, ...record }: Stored<AnyRecord>) {
  const { operation, status, error, limit, customerId, consentId, thirdPartyId } = record
  return {
    time: time.toString(),
    interactionId: record.interactionId,
    operation,
    status,
    isSent: record.isSent,
    error,
    isRefusal: record.isRefusal,
    circumstance: record.circumstance,
    limit,
    keyId: record.keyId,
    customerId,
    consentId,
    thirdPartyId,
    isCustomerPresent: record.isCustomerPresent,
    scopes: record.scopes,
    accountIds: record.accountIds,
    count: record.count,
    oldest: record.oldest,
    newest: record.newest,
    position: formatPosition({ time, ...block }),
  }
}

type Column = keyof ReturnType<typeof toPlainRecord>

const columns: Readonly<Record<Side, readonly Column[]>> = {
  platform: [
    ...(['time', 'interactionId', 'operation', 'status', 'isSent', 'error', 'isRefusal'] as const),
    ...(['limit', 'customerId', 'consentId', 'thirdPartyId', 'isCustomerPresent'] as const),
    ...(['scopes', 'accountIds', 'count', 'oldest', 'newest', 'position'] as const),
  ],
  provider: [
    ...(['time', 'interactionId', 'operation', 'status', 'isSent', 'error', 'isRefusal'] as const),
    ...(['circumstance', 'limit', 'keyId', 'customerId', 'accountIds', 'count'] as const),
    ...(['oldest', 'newest', 'position'] as const),
  ],
}

/** Lists have spaces between their elements. */
export function openCsv(side: Side) {
  return {
    header: formatCsvRow(columns[side]),
    format(record: Stored<AnyRecord>): string {
      const plain = toPlainRecord(record)
      return formatCsvRow(
        columns[side].map((name) => {
          const value = plain[name] ?? ''
          return typeof value === 'object' ? value.join(' ') : value
        }),
      )
    },
  }
}
