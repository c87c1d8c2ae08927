import { formatCsvRow } from '../../disclosures/csv.ts'
import { formatPosition } from '../../disclosures/position.ts'
import type { StoredDisclosureRecord } from '../../disclosures/record.ts'

/** The fields of a record, in the order of the columns of an export. */
export function toPlainRecord({ time, block, ...record }: StoredDisclosureRecord) {
  const { operation, status, error, limit, customerId, consentId, thirdPartyId } = record
  return {
    time: time.toString(),
    interactionId: record.interactionId,
    operation,
    status,
    isSent: record.isSent,
    error,
    isRefusal: record.isRefusal,
    limit,
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

const columns = [
  ...['time', 'interactionId', 'operation', 'status', 'isSent', 'error', 'isRefusal', 'limit'],
  ...['customerId', 'consentId', 'thirdPartyId', 'isCustomerPresent', 'scopes', 'accountIds'],
  ...['count', 'oldest', 'newest', 'position'],
] as const satisfies (keyof ReturnType<typeof toPlainRecord>)[]

export const formatCsvHeader = (): string => formatCsvRow(columns)

/** Lists have spaces between their elements. */
export function formatCsv(record: StoredDisclosureRecord): string {
  const plain = toPlainRecord(record)
  return formatCsvRow(
    columns.map((name) => {
      const value = plain[name] ?? ''
      return typeof value === 'object' ? value.join(' ') : value
    }),
  )
}
