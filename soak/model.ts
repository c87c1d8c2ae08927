/**
 * What was loaded, by version: each load makes one, and each answer must be of exactly one. It is written
 * from the lines alone and shares no code with the server.
 */
export interface Model {
  /** The customers that have something of each kind to ask for. */
  readonly customers: readonly Holdings[]
  /** Adds the lines of a load, to be seen from that version on. */
  add(lines: readonly string[], version: number): void
  customer(id: string, version: number): unknown
  balance(accountId: string, version: number): unknown
  /** Newest first. */
  transactions(accountId: string, window: Window, version: number): unknown[]
  invoices(accountIds: readonly string[], window: Window, version: number): unknown[]
}

export interface Holdings {
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

/** Every state of every record of one kind, by owner and key. */
type Shelf = Map<string, Map<string, Version[]>>

export function openModel(lines: readonly string[]): Model {
  const shelves = new Map<string, Shelf>()
  const holdings = new Map<string, { customerId: string; banking: string[]; energy: string[] }>()

  const put = (line: Line, since: number) => {
    const { type, record } = line
    const { owner, key } = placeOf(type, record ?? line.delete ?? {})
    const shelf = getOrMake(shelves, type, () => new Map() as Shelf)
    const kept = getOrMake(shelf, owner, () => new Map<string, Version[]>())
    getOrMake(kept, key, () => [] as Version[]).push({ since, record })
  }
  const at = (type: string, owner: string, version: number): RecordText[] => {
    const records: RecordText[] = []
    for (const versions of shelves.get(type)?.get(owner)?.values() ?? []) {
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
      const held = getOrMake(holdings, customerId, () => ({ customerId, banking: [], energy: [] }))
      held[line.type === 'banking.account' ? 'banking' : 'energy'].push(accountId)
    }
  }

  return {
    customers: [...holdings.values()].filter((held) => held.banking[0] && held.energy[0]),
    add(added, version) {
      for (const text of added) put(JSON.parse(text) as Line, version)
    },
    customer: (id, version) => only('customer', id, version),
    balance: (accountId, version) => only('banking.balance', accountId, version),
    transactions(accountId, { oldest, newest }, version) {
      const [from, to] = [Date.parse(oldest), Date.parse(newest)]
      return at('banking.transaction', accountId, version)
        .map((record) => ({ record, time: timeOf(record) }))
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

function placeOf(type: string, record: RecordText): { owner: string; key: string } {
  if (type === 'customer') return { owner: record['id'] ?? '', key: '' }
  const owner = record['accountId'] ?? ''
  return { owner, key: record['transactionId'] ?? record['invoiceNumber'] ?? '' }
}

/** One without a time counts from when it was loaded, which no line tells: such lines are left out of the soak. */
export function timeOf(record: RecordText): number {
  return Date.parse(record['postingDateTime'] ?? record['executionDateTime'] ?? '')
}

function compare(a: RecordText, b: RecordText, field: string): number {
  const [left = '', right = ''] = [a[field], b[field]]
  return left < right ? -1 : left > right ? 1 : 0
}

function getOrMake<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}
