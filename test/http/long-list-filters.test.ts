import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { toExact } from '../support/decimals.ts'
import { describe, withScope } from '../support/engines.ts'
import { openFeeds } from '../support/feed.ts'
import * as lines from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'
import { propertyRuns } from '../support/properties.ts'
import { type Provider, sharedProvider } from '../support/provider.ts'

/** The transactions of an account that is long enough for several indexed blocks. */
interface Transaction {
  readonly id: string
  /** In seconds. */
  readonly time: number
  readonly amount: string
  readonly description: string
  readonly reference?: string
}

const lengthAtFirst = 8600
const start = Date.parse('2024-01-01T00:00:00Z') / 1000
const words = [
  'Card takings',
  'RENT',
  'Crème brûlée',
  'ΟΔΟΣ 7',
  'a\u0001b\u0002c',
  '',
  'x',
  '日本語',
]
const amounts = ['-12.50', '0', '-0.001', '3.999', '4', '99999999999.99', '-20000000.005', '0.01']

function toTransaction(index: number, variation = 0): Transaction {
  const pick = <Item>(all: readonly Item[], step: number) =>
    all[(index * step) % all.length] as Item
  const number = (index * 7919 + variation * 104_729) % 100_003
  return {
    id: `t${index}`,
    time: start + index * 60,
    amount: index % 5 === 0 ? pick(amounts, 3) : `${number % 900}.${10 + (number % 90)}`,
    description: index % 3 === 0 ? pick(words, 5) : `${pick(words, 1)} ${number}`,
    ...(index % 4 > 0 && { reference: `INV-${number * 31}` }),
  }
}

const atFirst = Array.from({ length: lengthAtFirst }, (_, index) => toTransaction(index))

const provider = sharedProvider([
  lines.customer('ana'),
  lines.bankingAccount('long', { ana: true }),
  ...atFirst.map(toLine),
])

function toLine({ id, time, ...fields }: Transaction) {
  const postingDateTime = toTime(time)
  return lines.transaction('long', id, { ...fields, postingDateTime })
}

function toTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

const place = fc.nat({ max: 1_000_000 })

/** A change of the list. A place is a fraction of its length, from the oldest. */
const drawnChange = fc.record({
  kind: fc.constantFrom('correct', 'correct', 'late', 'remove', 'move', 'append', 'appendMany'),
  place,
  variation: fc.integer({ min: 1, max: 50 }),
})
type Change = typeof drawnChange extends fc.Arbitrary<infer Drawn> ? Drawn : never

/** A filter. A text is a part of a text in the list, from a place on. */
const drawnFilter = fc.record(
  {
    text: fc.record({ place, from: fc.nat({ max: 6 }), length: fc.integer({ min: 1, max: 9 }) }),
    least: fc.constantFrom(...amounts, '100', '899.99', '2.5001'),
    greatest: fc.constantFrom(...amounts, '104.5', '350'),
    oldest: place,
    newest: place,
  },
  { requiredKeys: [] },
)
type Filter = typeof drawnFilter extends fc.Arbitrary<infer Drawn> ? Drawn : never

const drawnStep = fc.record({
  isFeed: fc.boolean(),
  changes: fc.array(drawnChange, { minLength: 1, maxLength: 6 }),
  filters: fc.array(drawnFilter, { minLength: 3, maxLength: 3 }),
})

/** The transactions as they should be, by id. */
type Model = Map<string, Transaction>

function sort(model: Model): Transaction[] {
  return [...model.values()].sort(
    (one, other) => other.time - one.time || (one.id < other.id ? -1 : 1),
  )
}

function at(model: Model, fraction: number): Transaction {
  const all = sort(model)
  return all[Math.floor((fraction / 1_000_001) * all.length)] as Transaction
}

let created = lengthAtFirst

/** Applies a change, and returns its lines. */
function apply(model: Model, { kind, place, variation }: Change): object[] {
  const existing = at(model, place)
  const put = (transaction: Transaction) => {
    model.set(transaction.id, transaction)
    return toLine(transaction)
  }
  const create = () => {
    created += 1
    return toTransaction(created, variation)
  }
  const [newest] = sort(model)
  switch (kind) {
    case 'correct':
      return [put({ ...toTransaction(created, variation), id: existing.id, time: existing.time })]
    case 'late':
      return [put({ ...create(), time: existing.time })]
    case 'move':
      return [put({ ...existing, time: existing.time + variation * 3600 })]
    case 'remove':
      model.delete(existing.id)
      return [
        {
          type: 'banking.transaction',
          delete: { accountId: 'long', transactionId: existing.id },
        },
      ]
    default: {
      const count = kind === 'append' ? 1 : 300
      const after = newest?.time ?? start
      return Array.from({ length: count }, (_, index) => put({ ...create(), time: after + index }))
    }
  }
}

async function compare(here: Provider, model: Model, filter: Filter): Promise<void> {
  const { text, least, greatest, oldest, newest } = filter
  const [from, to] = [oldest, newest].map((fraction) =>
    fraction === undefined ? undefined : at(model, fraction).time,
  )
  const source = text && at(model, text.place)
  const wanted =
    source && (source.reference ?? source.description).slice(text.from).slice(0, text.length)
  const expected = sort(model).filter(
    ({ time, amount, description, reference = '' }) =>
      time >= (from ?? 0) &&
      time <= (to ?? Number.POSITIVE_INFINITY) &&
      (least === undefined || toExact(amount) >= toExact(least)) &&
      (greatest === undefined || toExact(amount) <= toExact(greatest)) &&
      (!wanted || [description, reference].some((each) => fold(each).includes(fold(wanted)))),
  )
  const query = new URLSearchParams({
    'oldest-time': toTime(from ?? 0),
    'newest-time': toTime(to ?? Date.parse('2100-01-01T00:00:00Z') / 1000),
    'page-size': '700',
    ...(least !== undefined && { 'min-amount': least }),
    ...(greatest !== undefined && { 'max-amount': greatest }),
    ...(wanted && { text: wanted }),
  })
  for (const page of [1, 2]) {
    query.set('page', `${page}`)
    const { body } = await here.get(`/v1/banking/customer/ana/accounts/long/transactions?${query}`)
    const ids = body.data.transactions.map(
      ({ transactionId }: { transactionId: string }) => transactionId,
    )
    const label = JSON.stringify({ ...filter, wanted, page })
    assert.equal(body.meta.totalRecords, expected.length, label)
    assert.deepEqual(
      ids,
      expected.slice((page - 1) * 700, page * 700).map(({ id }) => id),
      label,
    )
  }
}

function fold(text: string): string {
  return text.toLowerCase().toUpperCase()
}

describe('filters on a long list', () => {
  it('find what matches, after any changes of the list by loads and feeds', async () => {
    const here = await provider()
    const model: Model = new Map(atFirst.map((each) => [each.id, each]))

    await withScope(async (scope) => {
      const feeds = await openFeeds(scope, here.database)
      await fc.assert(
        fc.asyncProperty(drawnStep, async ({ isFeed, changes, filters }) => {
          const written = changes.flatMap((change) => apply(model, change))
          if (isFeed) await feeds.add(...written.map((line) => JSON.stringify(line)))
          else await loadInProcess(here.database, written)
          for (const filter of filters) await compare(here, model, filter)
        }),
        { ...propertyRuns(10), endOnFailure: true },
      )
    })
  })
})
