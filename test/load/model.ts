import fc, { type Arbitrary } from 'fast-check'
import { formatLine } from '../../src/intake/dump.ts'
import { dumpProvider } from '../../src/storage/open.ts'
import { loadAt } from './bank.ts'
import { line, removal } from './lines.ts'

/** A line about one of two accounts, and its effect on the model. */
export interface Step {
  readonly text: string
  readonly apply: (history: History, loadTime: string) => void
}

interface Entry {
  readonly text: string
  /** Undefined if the list is not sorted by time. */
  readonly time?: string
  /** The time that a load assigned. */
  readonly assignedTime?: string
  readonly id: string
}

/** The expected content of a store: for each account and type, entries by key. */
export class History {
  readonly #entries = new Map<string, Map<string, Entry>>()
  #timesAtStart = new Map<string, string>()

  /** A transaction that a load deletes and adds again without a time keeps its assigned time. */
  startLoad(): void {
    this.#timesAtStart = new Map(
      accounts.flatMap((account) =>
        [...this.list(account, 'transaction')].flatMap(([id, { assignedTime }]) =>
          assignedTime === undefined ? [] : [[`${account} ${id}`, assignedTime] as const],
        ),
      ),
    )
  }

  timeAtStart(account: string, id: string): string | undefined {
    return this.#timesAtStart.get(`${account} ${id}`)
  }

  list(account: string, type: string): Map<string, Entry> {
    const key = `${account} ${type}`
    const list = this.#entries.get(key) ?? new Map<string, Entry>()
    this.#entries.set(key, list)
    return list
  }

  /** The lists of an account in the order of a dump: oldest first, then by descending id. */
  dump(account: string): string[] {
    return ['transaction', 'payment', 'debit'].flatMap((type) => this.#texts(account, type))
  }

  /** Transaction records, oldest first. */
  transactions(account: string): unknown[] {
    return this.#texts(account, 'transaction').map((text) => JSON.parse(text).record)
  }

  #texts(account: string, type: string): string[] {
    return [...this.list(account, type).values()].sort(oldestFirst).map(({ text }) => text)
  }
}

function oldestFirst(a: Entry, b: Entry): number {
  if (a.time !== undefined && b.time !== undefined) {
    const order = Temporal.Instant.compare(a.time, b.time)
    if (order !== 0) return order
  }
  return a.id < b.id ? 1 : -1
}

export const accounts = ['a1', 'a2'] as const
export const opening = [
  line('customer', { id: 'c1', name: 'Ana', email: 'ana@example.com' }),
  ...accounts.map(openAccount),
]

function openAccount(accountId: string): string {
  return line('banking.account', { accountId }, { holders: [{ customerId: 'c1' }] })
}

const account = fc.constantFrom(...accounts)
const id = fc.constantFrom('1', '2', '3', '4', 'é', '🦉')
/** Few values, so that many are the same instant in different notations. */
const time = fc.constantFrom(
  '2025-01-01T00:00:00Z',
  '2025-01-01T10:00:00+10:00',
  '2025-01-01T00:00:00.000000001Z',
  '1969-12-31T23:59:59Z',
  '2025-06-01T00:00:00Z',
  '2100-06-01T00:00:00Z',
)
const amount = fc.constantFrom('1.00', '-2.50', '3')

const posted = fc
  .record({ account, id, time, amount })
  .map(({ account, id, time, amount }): Step => {
    const text = line('banking.transaction', {
      ...{ accountId: account, transactionId: id, status: 'POSTED', amount },
      postingDateTime: time,
    })
    return {
      text,
      apply: (history) => void history.list(account, 'transaction').set(id, { text, time, id }),
    }
  })

const pending = fc.record({ account, id, amount }).map(({ account, id, amount }): Step => {
  const record = { accountId: account, transactionId: id, status: 'PENDING', amount }
  return {
    text: line('banking.transaction', record),
    apply(history, loadTime) {
      const list = history.list(account, 'transaction')
      const effectiveTime =
        list.get(id)?.assignedTime ?? history.timeAtStart(account, id) ?? loadTime
      const instant = Temporal.Instant.from(effectiveTime).toString()
      const text = line('banking.transaction', record, { effectiveTime: instant })
      list.set(id, { text, time: effectiveTime, assignedTime: effectiveTime, id })
    },
  }
})

const deletedTransaction = fc.record({ account, id }).map(({ account, id }): Step => {
  return {
    text: removal('banking.transaction', { accountId: account, transactionId: id }),
    apply: (history) => void history.list(account, 'transaction').delete(id),
  }
})

const scheduledPayment = fc.record({ account, id, amount }).map(({ account, id, amount }): Step => {
  const text = line('banking.scheduledPayment', {
    ...{ scheduledPaymentId: id, from: { accountId: account }, nickname: amount },
  })
  return {
    text,
    apply: (history) => void history.list(account, 'payment').set(id, { text, id }),
  }
})

const deletedPayment = fc.record({ account, id }).map(({ account, id }): Step => {
  return {
    text: removal('banking.scheduledPayment', { accountId: account, scheduledPaymentId: id }),
    apply: (history) => void history.list(account, 'payment').delete(id),
  }
})

const directDebit = fc.record({ account, id, amount }).map(({ account, id, amount }): Step => {
  const text = line('banking.directDebit', { accountId: account, lastDebitAmount: amount }, { id })
  return { text, apply: (history) => void history.list(account, 'debit').set(id, { text, id }) }
})

const reopenedAccount = account.map((account): Step => {
  return {
    text: `${removal('banking.account', { accountId: account })}\n${openAccount(account)}`,
    apply(history) {
      for (const type of ['transaction', 'payment', 'debit']) history.list(account, type).clear()
    },
  }
})

/** Successive loads, each with steps in any order. */
export const loads: Arbitrary<Step[][]> = fc.array(
  fc.array(
    fc.oneof(
      { weight: 8, arbitrary: posted },
      { weight: 3, arbitrary: pending },
      { weight: 2, arbitrary: deletedTransaction },
      { weight: 2, arbitrary: scheduledPayment },
      { weight: 1, arbitrary: deletedPayment },
      { weight: 1, arbitrary: directDebit },
      { weight: 1, arbitrary: reopenedAccount },
    ),
    { maxLength: 30 },
  ),
  { minLength: 1, maxLength: 5 },
)

/** Loads lines with the given load time; returns the errors. */
export async function loadLines(
  database: string,
  lines: readonly string[],
  loadTime: string,
  batching: { readonly batch?: number } = {},
) {
  const pieces = lines.map((each) => Buffer.from(`${each}\n`))
  return (await loadAt(database, Temporal.Instant.from(loadTime), pieces, batching)).errors
}

/** Dumps the entries of each account. */
export async function dumpEntries(database: string): Promise<Map<string, string[]>> {
  const entries = new Map<string, string[]>(accounts.map((id) => [id, []]))
  for await (const item of dumpProvider(database)) {
    const text = formatLine(item)
    const { type, record } = JSON.parse(text)
    if (/^banking\.(transaction|scheduledPayment|directDebit)$/.test(type)) {
      entries.get(record.accountId ?? record.from.accountId)?.push(text)
    }
  }
  return entries
}
