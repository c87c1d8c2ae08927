import * as lines from './lines.ts'

/** Histories as plain lists, read from the interface: what a server's answers are held against. */

export type List = 'transaction' | 'payment' | 'debit' | 'invoice' | 'billing'

export interface Entry {
  readonly list: List
  readonly account: string
  readonly id: string
  /** Nanoseconds, or days; the same for all of a list that has no times. */
  readonly time: bigint
  /** Whether the record itself says so. */
  readonly isTimed: boolean
  readonly record: object
}

/** One line of a load, before it is written down. */
export type Change =
  | { readonly kind: 'put'; readonly put: Put }
  | { readonly kind: 'remove'; readonly list: List; readonly account: string; readonly id: string }
  /** The account goes, with all that it has, and is made again. */
  | { readonly kind: 'wipe'; readonly account: string }

export interface Put {
  readonly list: List
  readonly account: string
  readonly id: string
  /** A moment in UTC; undefined for a transaction without one. */
  readonly time: string | undefined
  /** Where a transaction has its time: in one of two fields, or beside the record. */
  readonly place: 'postingDateTime' | 'executionDateTime' | 'effectiveTime'
  readonly amount: string
  readonly text: string
}

/** An account of the model. The first holds bank lists, the second energy lists. */
export type MakeAccount = (account: string) => object

export function openModel(makeAccount: MakeAccount) {
  const entries = new Map<string, Entry>()
  /** Times that were given to entries which this load has taken away, or given others. */
  const remembered = new Map<string, bigint>()
  let lastLoad: bigint | undefined

  const note = (key: string): void => {
    const entry = entries.get(key)
    if (entry && !entry.isTimed) remembered.set(key, entry.time)
  }

  const lineOf = (change: Change): object[] => {
    if (change.kind === 'put') return [putLine(change.put)]
    if (change.kind === 'remove') return [removeLine(change.list, change.account, change.id)]
    const made = makeAccount(change.account) as { type: string }
    return [{ type: made.type, delete: { accountId: change.account } }, made]
  }

  const apply = (change: Change, loadTime: bigint): void => {
    if (loadTime !== lastLoad) remembered.clear()
    lastLoad = loadTime
    if (change.kind === 'wipe') {
      for (const [key, { account }] of entries) {
        if (account !== change.account) continue
        note(key)
        entries.delete(key)
      }
      return
    }
    if (change.kind === 'remove') {
      note(keyOf(change.list, change.account, change.id))
      entries.delete(keyOf(change.list, change.account, change.id))
      return
    }
    const { put } = change
    const key = keyOf(put.list, put.account, put.id)
    const before = entries.get(key)
    note(key)
    const given = before && !before.isTimed ? before.time : (remembered.get(key) ?? loadTime)
    entries.set(key, {
      list: put.list,
      account: put.account,
      id: put.id,
      time: timeOf(put) ?? given,
      isTimed: put.time !== undefined && put.place !== 'effectiveTime',
      record: (putLine(put) as { record: object }).record,
    })
  }

  return {
    lineOf,
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

/** A scheduled payment is one over all accounts; the others are within theirs. */
function keyOf(list: List, account: string, id: string): string {
  return list === 'payment' ? JSON.stringify([list, id]) : JSON.stringify([list, account, id])
}

function timeOf({ list, time }: Put): bigint | undefined {
  if (list === 'payment' || list === 'debit') return 0n
  if (time === undefined) return undefined
  return list === 'invoice' ? nanoseconds(`${time.slice(0, 10)}T00:00:00Z`) : nanoseconds(time)
}

function putLine({ list, account, id, time = '', place, amount, text }: Put): object {
  switch (list) {
    case 'transaction': {
      const fields = { ...lines.pending, amount, description: text }
      if (time === '') return lines.transaction(account, id, fields)
      if (place === 'effectiveTime') {
        return { ...lines.transaction(account, id, fields), effectiveTime: time }
      }
      return lines.transaction(account, id, { ...fields, [place]: time })
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
  const account = list === 'payment' ? {} : { accountId }
  return { type, delete: { ...account, [field]: id } }
}
