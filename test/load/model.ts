import fc, { type Arbitrary } from 'fast-check'
import { formatLine } from '../../src/load/dump.ts'
import { dumpProvider } from '../../src/storage/open.ts'
import { loadAt } from './bank.ts'
import { line, removal } from './lines.ts'

/** A line about the history of two accounts, and what it does to the lists that we keep ourselves. */
export interface Step {
  readonly text: string
  readonly apply: (lists: History, loadTime: string) => void
}

interface Entry {
  readonly text: string
  /** Undefined where the type has no order of time. */
  readonly time?: string
  /** The time that it was given, having none of its own. */
  readonly given?: string
  readonly id: string
}

/** What a store should hold: by account and type, entries by their key. */
export class History {
  readonly #entries = new Map<string, Map<string, Entry>>()
  #atStart = new Map<string, string>()

  /** What a load takes away and brings again without a time keeps the one that it was given. */
  startLoad(): void {
    this.#atStart = new Map(
      accounts.flatMap((account) =>
        [...this.of(account, 'transaction')].flatMap(([id, { given }]) =>
          given === undefined ? [] : [[`${account} ${id}`, given] as const],
        ),
      ),
    )
  }

  givenBefore(account: string, id: string): string | undefined {
    return this.#atStart.get(`${account} ${id}`)
  }

  of(account: string, type: string): Map<string, Entry> {
    const key = `${account} ${type}`
    const list = this.#entries.get(key) ?? new Map<string, Entry>()
    this.#entries.set(key, list)
    return list
  }

  /** The lists of an account as a dump has them: oldest first, then from the last id to the first. */
  dump(account: string): string[] {
    return ['transaction', 'payment', 'debit'].flatMap((type) => this.#texts(account, type))
  }

  /** The records of transactions, oldest first. */
  transactions(account: string): unknown[] {
    return this.#texts(account, 'transaction').map((text) => JSON.parse(text).record)
  }

  #texts(account: string, type: string): string[] {
    return [...this.of(account, type).values()].sort(oldestFirst).map(({ text }) => text)
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
  ...accounts.map(opened),
]

function opened(accountId: string): string {
  return line('banking.account', { accountId }, { holders: [{ customerId: 'c1' }] })
}

const account = fc.constantFrom(...accounts)
const id = fc.constantFrom('1', '2', '3', '4', 'é', '🦉')
/** Few, so that many are the same instant, in several spellings. */
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
      apply: (history) => void history.of(account, 'transaction').set(id, { text, time, id }),
    }
  })

const pending = fc.record({ account, id, amount }).map(({ account, id, amount }): Step => {
  const record = { accountId: account, transactionId: id, status: 'PENDING', amount }
  return {
    text: line('banking.transaction', record),
    apply(history, loadTime) {
      const list = history.of(account, 'transaction')
      const effectiveTime = list.get(id)?.given ?? history.givenBefore(account, id) ?? loadTime
      const instant = Temporal.Instant.from(effectiveTime).toString()
      const text = line('banking.transaction', record, { effectiveTime: instant })
      list.set(id, { text, time: effectiveTime, given: effectiveTime, id })
    },
  }
})

const unposted = fc.record({ account, id }).map(({ account, id }): Step => {
  return {
    text: removal('banking.transaction', { accountId: account, transactionId: id }),
    apply: (history) => void history.of(account, 'transaction').delete(id),
  }
})

const paid = fc.record({ account, id, amount }).map(({ account, id, amount }): Step => {
  const text = line('banking.scheduledPayment', {
    ...{ scheduledPaymentId: id, from: { accountId: account }, nickname: amount },
  })
  return {
    text,
    apply(history) {
      for (const each of accounts) history.of(each, 'payment').delete(id)
      history.of(account, 'payment').set(id, { text, id })
    },
  }
})

const unpaid = id.map((id): Step => {
  return {
    text: removal('banking.scheduledPayment', { scheduledPaymentId: id }),
    apply(history) {
      for (const each of accounts) history.of(each, 'payment').delete(id)
    },
  }
})

const debited = fc.record({ account, id, amount }).map(({ account, id, amount }): Step => {
  const text = line('banking.directDebit', { accountId: account, lastDebitAmount: amount }, { id })
  return { text, apply: (history) => void history.of(account, 'debit').set(id, { text, id }) }
})

const closed = account.map((account): Step => {
  return {
    text: `${removal('banking.account', { accountId: account })}\n${opened(account)}`,
    apply(history) {
      for (const type of ['transaction', 'payment', 'debit']) history.of(account, type).clear()
    },
  }
})

/** Loads one after another, each of many steps in any order. */
export const loads: Arbitrary<Step[][]> = fc.array(
  fc.array(
    fc.oneof(
      { weight: 8, arbitrary: posted },
      { weight: 3, arbitrary: pending },
      { weight: 2, arbitrary: unposted },
      { weight: 2, arbitrary: paid },
      { weight: 1, arbitrary: unpaid },
      { weight: 1, arbitrary: debited },
      { weight: 1, arbitrary: closed },
    ),
    { maxLength: 30 },
  ),
  { minLength: 1, maxLength: 5 },
)

/** Loads lines as if it was then; returns what was refused. */
export async function take(
  database: string,
  lines: readonly string[],
  loadTime: string,
  batching: { readonly batch?: number } = {},
) {
  const pieces = lines.map((each) => Buffer.from(`${each}\n`))
  return loadAt(database, Temporal.Instant.from(loadTime), pieces, batching)
}

/** The dumped entries of an account. */
export async function entriesOf(database: string, accountId: string): Promise<string[]> {
  const lines = (await Array.fromAsync(dumpProvider(database))).map(formatLine)
  const start = lines.findIndex((each) => each.endsWith(`"record":{"accountId":"${accountId}"}}`))
  const end = lines.findIndex((each, index) => index > start && each.includes('"holders"'))
  return lines.slice(start + 1, end === -1 ? lines.length : end)
}
