import type { StoredDisclosureRecord } from '../../disclosures/record.ts'

/** The fields of a record, in the order of the columns of an export. */
export function toPlainRecord({ time, block, ...record }: StoredDisclosureRecord) {
  const { operation, status, error, limit, customerId, consentId, thirdPartyId } = record
  return {
    time: time.toString(),
    interactionId: record.interactionId,
    operation,
    status,
    error,
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
    position: `${time.epochMilliseconds}-${block.chain}-${block.number}`,
  }
}

const columns = [
  ...['time', 'interactionId', 'operation', 'status', 'error', 'limit', 'customerId', 'consentId'],
  ...['thirdPartyId', 'isCustomerPresent', 'scopes', 'accountIds', 'count', 'oldest', 'newest'],
  'position',
] as const satisfies (keyof ReturnType<typeof toPlainRecord>)[]

export const formatCsvHeader = (): string => `${columns.join(',')}\r\n`

export function formatCsv(record: StoredDisclosureRecord): string {
  const plain = toPlainRecord(record)
  return `${columns.map((name) => formatCell(plain[name])).join(',')}\r\n`
}

/** Lists have spaces between their elements. Spreadsheets would run a text that begins like a formula. */
function formatCell(value: string | number | boolean | readonly string[] | undefined): string {
  const text = Array.isArray(value) ? value.join(' ') : String(value ?? '')
  const safe = typeof value !== 'number' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
