/**
 * The loaded data by version. Each load creates a version, and each response must match exactly one. The model is built
 * from the loaded lines and shares no code with the server.
 */
export interface Model {
  /** The customers with both banking and energy accounts. */
  readonly customers: readonly CustomerAccounts[]
  /** Adds the lines of a load, effective from that version on. */
  add(lines: readonly string[], version: number): void
  customer(id: string, version: number): unknown
  balance(accountId: string, version: number): unknown
  /** Newest first. */
  transactions(accountId: string, window: Window, version: number): unknown[]
  invoices(accountIds: readonly string[], window: Window, version: number): unknown[]
}

export interface CustomerAccounts {
  readonly customerId: string
  readonly banking: readonly string[]
  readonly energy: readonly string[]
}

export interface Window {
  readonly oldest: string
  readonly newest: string
}

interface Line {
  readonly type: string
  readonly record?: RecordText
  readonly delete?: RecordText
  readonly holders?: readonly { readonly customerId: string }[]
}

type RecordText = Readonly<Record<string, string>>

interface Version {
  readonly since: number
  readonly record: RecordText | undefined
}

/** Every version of every record of one type, by owner and key. */
type RecordHistory = Map<string, Map<string, Version[]>>

export function openModel(lines: readonly string[]): Model {
  const histories = new Map<string, RecordHistory>()
  const accounts = new Map<string, { customerId: string; banking: string[]; energy: string[] }>()

  const put = (line: Line, since: number) => {
    const { type, record } = line
    const { owner, key } = recordKey(type, record ?? line.delete ?? {})
    const history = getOrCreate(histories, type, () => new Map() as RecordHistory)
    const byKey = getOrCreate(history, owner, () => new Map<string, Version[]>())
    getOrCreate(byKey, key, () => [] as Version[]).push({ since, record })
  }
  const at = (type: string, owner: string, version: number): RecordText[] => {
    const records: RecordText[] = []
    for (const versions of histories.get(type)?.get(owner)?.values() ?? []) {
      const record = versions.findLast(({ since }) => since <= version)?.record
      if (record) records.push(record)
    }
    return records
  }
  const only = (type: string, owner: string, version: number) => at(type, owner, version)[0]

  for (const text of lines) {
    const line = JSON.parse(text) as Line
    put(line, 0)
    if (!/^(banking|energy)\.account$/.test(line.type)) continue
    for (const { customerId } of line.holders ?? []) {
      const accountId = line.record?.['accountId'] ?? ''
      const owned = getOrCreate(accounts, customerId, () => ({
        customerId,
        banking: [],
        energy: [],
      }))
      owned[line.type === 'banking.account' ? 'banking' : 'energy'].push(accountId)
    }
  }

  return {
    customers: [...accounts.values()].filter(({ banking, energy }) => banking[0] && energy[0]),
    add(added, version) {
      for (const text of added) put(JSON.parse(text) as Line, version)
    },
    customer: (id, version) => only('customer', id, version),
    balance: (accountId, version) => only('banking.balance', accountId, version),
    transactions(accountId, { oldest, newest }, version) {
      const [from, to] = [Date.parse(oldest), Date.parse(newest)]
      return at('banking.transaction', accountId, version)
        .map((record) => ({ record, time: effectiveTime(record) }))
        .filter(({ time }) => time >= from && time <= to)
        .sort((a, b) => b.time - a.time || compare(a.record, b.record, 'transactionId'))
        .map(({ record }) => record)
    },
    invoices(accountIds, { oldest, newest }, version) {
      return accountIds
        .flatMap((accountId) => at('energy.invoice', accountId, version))
        .filter(({ issueDate = '' }) => issueDate >= oldest && issueDate <= newest)
        .sort(
          (a, b) =>
            compare(b, a, 'issueDate') ||
            compare(a, b, 'invoiceNumber') ||
            compare(a, b, 'accountId'),
        )
    },
  }
}

function recordKey(type: string, record: RecordText): { owner: string; key: string } {
  if (type === 'customer') return { owner: record['id'] ?? '', key: '' }
  const owner = record['accountId'] ?? ''
  return { owner, key: record['transactionId'] ?? record['invoiceNumber'] ?? '' }
}

/** NaN if the record has no time. Its effective time is that of the load then, which is unknown here: such lines are excluded. */
export function effectiveTime(record: RecordText): number {
  return Date.parse(record['postingDateTime'] ?? record['executionDateTime'] ?? '')
}

function compare(a: RecordText, b: RecordText, field: string): number {
  const [left = '', right = ''] = [a[field], b[field]]
  return left < right ? -1 : left > right ? 1 : 0
}

function getOrCreate<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const value = map.get(key) ?? create()
  map.set(key, value)
  return value
}
