import * as lines from './lines.ts'

/** A simple model of the lists, written from the interface, to compare a server's responses with. */

export type List = 'transaction' | 'payment' | 'debit' | 'invoice' | 'billing'

export interface Entry {
  readonly list: List
  readonly account: string
  readonly id: string
  /** In nanoseconds; constant in a list without times. */
  readonly time: bigint
  /** Whether the time is a field of the record. */
  readonly hasOwnTime: boolean
  readonly record: object
}

/** One change of a load. */
export type Change =
  | { readonly kind: 'put'; readonly put: Put }
  | { readonly kind: 'remove'; readonly list: List; readonly account: string; readonly id: string }
  /** The account is deleted with everything in it, and created again. */
  | { readonly kind: 'wipe'; readonly account: string }

export interface Put {
  readonly list: List
  readonly account: string
  readonly id: string
  /** In UTC; undefined for a transaction without a time. */
  readonly time: string | undefined
  /** The field of a transaction's time; `effectiveTime` is in the envelope. */
  readonly timeField: 'postingDateTime' | 'executionDateTime' | 'effectiveTime'
  readonly amount: string
  readonly text: string
}

/** Creates the line of an account. */
export type MakeAccount = (account: string) => object

export function openModel(makeAccount: MakeAccount) {
  const entries = new Map<string, Entry>()
  /** Assigned times of entries that this load has deleted or changed. */
  const assignedTimes = new Map<string, bigint>()
  let lastLoad: bigint | undefined

  const rememberTime = (key: string): void => {
    const entry = entries.get(key)
    if (entry && !entry.hasOwnTime) assignedTimes.set(key, entry.time)
  }

  const formatLines = (change: Change): object[] => {
    if (change.kind === 'put') return [putLine(change.put)]
    if (change.kind === 'remove') return [removeLine(change.list, change.account, change.id)]
    const made = makeAccount(change.account) as { type: string }
    return [{ type: made.type, delete: { accountId: change.account } }, made]
  }

  const apply = (change: Change, loadTime: bigint): void => {
    if (loadTime !== lastLoad) assignedTimes.clear()
    lastLoad = loadTime
    if (change.kind === 'wipe') {
      for (const [key, { account }] of entries) {
        if (account !== change.account) continue
        rememberTime(key)
        entries.delete(key)
      }
      return
    }
    if (change.kind === 'remove') {
      rememberTime(entryKey(change.list, change.account, change.id))
      entries.delete(entryKey(change.list, change.account, change.id))
      return
    }
    const { put } = change
    const key = entryKey(put.list, put.account, put.id)
    const before = entries.get(key)
    rememberTime(key)
    const assignedTime =
      before && !before.hasOwnTime ? before.time : (assignedTimes.get(key) ?? loadTime)
    entries.set(key, {
      list: put.list,
      account: put.account,
      id: put.id,
      time: parseTime(put) ?? assignedTime,
      hasOwnTime: put.time !== undefined && put.timeField !== 'effectiveTime',
      record: (putLine(put) as { record: object }).record,
    })
  }

  return {
    formatLines,
    apply,

    /** Newest first, then by id. */
    sorted(list: List, accounts: readonly string[]): Entry[] {
      return [...entries.values()]
        .filter((entry) => entry.list === list && accounts.includes(entry.account))
        .sort(newestFirst)
    },
  }
}

export type Model = ReturnType<typeof openModel>

export function newestFirst(a: Pick<Entry, 'time' | 'id'>, b: Pick<Entry, 'time' | 'id'>): number {
  if (a.time !== b.time) return a.time > b.time ? -1 : 1
  return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))
}

export function nanoseconds(time: string): bigint {
  return Temporal.Instant.from(time).epochNanoseconds
}

function entryKey(list: List, account: string, id: string): string {
  return JSON.stringify([list, account, id])
}

function parseTime({ list, time }: Put): bigint | undefined {
  if (list === 'payment' || list === 'debit') return 0n
  if (time === undefined) return undefined
  return list === 'invoice' ? nanoseconds(`${time.slice(0, 10)}T00:00:00Z`) : nanoseconds(time)
}

function putLine({ list, account, id, time = '', timeField, amount, text }: Put): object {
  switch (list) {
    case 'transaction': {
      const fields = { ...lines.pending, amount, description: text }
      if (time === '') return lines.transaction(account, id, fields)
      if (timeField === 'effectiveTime') {
        return { ...lines.transaction(account, id, fields), effectiveTime: time }
      }
      return lines.transaction(account, id, { ...fields, [timeField]: time })
    }
    case 'payment':
      return lines.scheduledPayment(account, id, { nickname: text })
    case 'debit':
      return lines.directDebit(account, id, { lastDebitAmount: amount })
    case 'invoice': {
      const { type, record } = lines.invoice(account, id, time.slice(0, 10))
      return { type, record: { ...record, invoiceAmount: amount } }
    }
    case 'billing':
      return lines.billing(account, id, time.replace('Z', ''), amount)
  }
}

const removals = {
  transaction: ['banking.transaction', 'transactionId'],
  payment: ['banking.scheduledPayment', 'scheduledPaymentId'],
  debit: ['banking.directDebit', 'id'],
  invoice: ['energy.invoice', 'invoiceNumber'],
  billing: ['energy.billing', 'id'],
} as const satisfies Record<List, readonly [string, string]>

function removeLine(list: List, accountId: string, id: string): object {
  const [type, field] = removals[list]
  return { type, delete: { accountId, [field]: id } }
}
