import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import {
  ask,
  getAccountIds,
  getRecords,
  isEnergy,
  pagedRefs,
  type Ref,
} from '../support/operations.ts'
import { newestFirst } from '../support/parse-line.ts'
import { propertyRuns } from '../support/properties.ts'
import { type Provider, sharedProvider, walk } from '../support/provider.ts'

const range = (length: number) => Array.from({ length }, (_, index) => index)
const moment = (index: number) => new Date(Date.UTC(2025, 4, 1, 0, (index * 37) % 23)).toISOString()

const banking = range(14).map((index) => ({
  accountId: `b${(index * 5) % 14}`,
  isOwned: index % 3 !== 0,
  openStatus: ['OPEN', 'CLOSED', undefined][index % 3],
  productCategory: ['LEASES', 'OVERDRAFTS', 'BUY_NOW_PAY_LATER', undefined][index % 4],
  creationDate: index % 5 === 0 ? undefined : `20${10 + (index % 4)}-01-01T00:00:00Z`,
}))
const energy = range(6).map((index) => ({
  accountId: `e${(index * 5) % 6}`,
  openStatus: ['OPEN', 'CLOSED', undefined][index % 3],
}))
const transactions = range(140).map((index) => ({
  transactionId: `t${index}`,
  postingDateTime: moment(index),
  amount: `${((index * 29) % 41) - 20}.${(index * 3) % 10}${index % 2 ? '' : '0'}`,
  description: ['Rent for May', 'BAKERY, corner', 'Salary 100%', 'a_b\\c'][index % 4] ?? '',
  ...(index % 3 === 0 && { reference: `Ref #${index}` }),
}))

const provider = sharedProvider([
  lines.customer('ana'),
  lines.customer('ben'),
  ...banking.flatMap(({ accountId, isOwned, ...fields }, index) => [
    lines.bankingAccount(accountId, { ana: isOwned, ben: !isOwned }, fields),
    lines.balance(accountId),
    ...range(index % 4).map((number) => lines.directDebit(accountId, `d${number}`)),
    ...range(index % 5).map((number) =>
      lines.scheduledPayment(accountId, `${accountId}/${number}`),
    ),
  ]),
  ...range(30).map((number) => lines.scheduledPayment('b0', `b0/x${number}`)),
  ...transactions.map(({ transactionId, ...fields }) =>
    lines.transaction('b0', transactionId, fields),
  ),
  ...energy.flatMap(({ accountId, ...fields }, account) => [
    lines.energyAccount(accountId, ['ana'], fields),
    ...range(25).map((index) =>
      lines.invoice(accountId, `i${index}`, `2025-05-${10 + ((index * 7 + account) % 9)}`),
    ),
    ...range(25).map((index) =>
      lines.billing(
        accountId,
        `x${index}`,
        moment(index + account).slice(0, 19),
        `${account}.${index}`,
      ),
    ),
  ]),
])

const bankingIds = banking.map(({ accountId }) => accountId)
const energyIds = energy.map(({ accountId }) => accountId)

function requestFor(ref: Ref) {
  return { accounts: isEnergy(ref) ? energyIds : ['b0', ...bankingIds] }
}

/** Everything that matches a query, on one page. */
async function all(here: Provider, ref: Ref, query: Readonly<Record<string, string>> = {}) {
  const text = new URLSearchParams({ ...query, 'page-size': '1000' }).toString()
  const answer = await ask(here, ref, { ...requestFor(ref), query: text })
  assert.equal(answer.status, 200, answer.text)
  const records = getRecords(ref, answer)
  assert.equal(answer.body.meta.totalRecords, records.length)
  return records
}

/** Filters of all operations: those that an operation does not declare have no effect. */
const someFilters = fc
  .record(
    {
      'open-status': fc.constantFrom('ALL', 'OPEN', 'CLOSED'),
      'is-owned': fc.constantFrom('true', 'false'),
      'product-category': fc.constantFrom('LEASES', 'OVERDRAFTS'),
      'oldest-time': fc.constantFrom('2025-05-01T00:04:00Z', '2025-05-01T00:11:00.000000001Z'),
      'newest-time': fc.constantFrom('2025-05-01T00:12:00Z', '2025-05-01T00:21:59.999999999Z'),
      'oldest-date': fc.constantFrom('2025-05-11', '2025-05-13'),
      'newest-date': fc.constantFrom('2025-05-14', '2025-05-17'),
      'min-amount': fc.constantFrom('-15', '0', '3.30'),
      'max-amount': fc.constantFrom('-0.5', '0', '12'),
      text: fc.constantFrom('rent', '%', '_', '#', ''),
    },
    { requiredKeys: [] },
  )
  .map((filters) => ({ ...filters }) as Record<string, string>)

const someList = fc.constantFrom(...pagedRefs)
const someSize = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 200 }))

describe('pages', () => {
  it('partition their list, with any size and filters', async () => {
    const here = await provider()

    await fc.assert(
      fc.asyncProperty(someList, someSize, someFilters, async (ref, size, filters) => {
        const whole = await all(here, ref, filters)
        const total = Math.ceil(whole.length / size)
        const pages = []
        for (let page = 1; page <= Math.min(total, 20) + 1; page += 1) {
          const query = new URLSearchParams({
            ...filters,
            page: `${page}`,
            'page-size': `${size}`,
          }).toString()
          const answer = await ask(here, ref, { ...requestFor(ref), query })
          assert.deepEqual(answer.body.meta, { totalRecords: whole.length, totalPages: total })
          pages.push(getRecords(ref, answer))
        }

        assert.deepEqual(pages.flat(), whole.slice(0, pages.length * size))
        for (const page of pages.slice(0, total - 1)) assert.equal(page.length, size)
      }),
      propertyRuns(6),
    )
  })

  it('are the same by links as by numbers, in both directions', async () => {
    const here = await provider()

    await fc.assert(
      fc.asyncProperty(someList, someSize, someFilters, async (ref, size, filters) => {
        const request = requestFor(ref)
        const whole = await all(here, ref, filters)
        fc.pre(whole.length / size <= 20)
        const query = new URLSearchParams({ ...filters, 'page-size': `${size}` }).toString()

        const pages = await walk((next) => ask(here, ref, { ...request, query: next }), query)
        const back = []
        let previous: string | undefined = pages.at(-1)?.body.links.last
        while (previous !== undefined) {
          const page = await ask(here, ref, { ...request, query: previous })
          back.unshift(page)
          previous = page.body.links.prev
        }

        assert.deepEqual(
          pages.flatMap((page) => getRecords(ref, page)),
          whole,
        )
        const bodies = (list: typeof pages) => list.map(({ body }) => body)
        if (whole.length > 0) assert.deepEqual(bodies(back), bodies(pages))
      }),
      propertyRuns(6),
    )
  })
})

describe('filters', () => {
  it('select a part of the list, in its order', async () => {
    const here = await provider()

    await fc.assert(
      fc.asyncProperty(someList, someFilters, async (ref, filters) => {
        const whole = (await all(here, ref)).map((record) => JSON.stringify(record))
        const some = (await all(here, ref, filters)).map((record) => JSON.stringify(record))

        let next = 0
        for (const record of some) {
          const position = whole.indexOf(record, next)
          assert.ok(position >= next, 'a record is not in the whole list, or not in its order')
          next = position + 1
        }
      }),
      propertyRuns(9),
    )
  })

  it('and their complements select everything: by status and by ownership', async () => {
    const here = await provider()

    for (const ref of ['B1', 'B2', 'B5', 'B6', 'E1', 'E2'] as const) {
      const select = async (...queries: Record<string, string>[]) => {
        const lists = await Promise.all(queries.map((query) => all(here, ref, query)))
        return lists
          .flat()
          .map((record) => JSON.stringify(record))
          .sort()
      }
      const whole = await select({})

      assert.deepEqual(await select({ 'open-status': 'OPEN' }, { 'open-status': 'CLOSED' }), whole)
      assert.deepEqual(await select({ 'open-status': 'ALL' }), whole)
      if (ref.startsWith('B')) {
        assert.deepEqual(await select({ 'is-owned': 'true' }, { 'is-owned': 'false' }), whole)
      }
    }
  })

  it('and their complements select everything: by time, to the nanosecond', async () => {
    const here = await provider()
    const bound = fc
      .tuple(fc.nat({ max: 24 }), fc.integer({ min: -1, max: 1 }))
      .map(([minutes, nanoseconds]) =>
        Temporal.Instant.from('2025-05-01T00:00:00Z').add({ minutes }).add({ nanoseconds }),
      )

    await fc.assert(
      fc.asyncProperty(fc.constantFrom('B3', 'E4', 'E5'), bound, async (ref, time) => {
        const newest = { 'newest-time': time.toString() }
        const oldest = { 'oldest-time': time.add({ nanoseconds: 1 }).toString() }

        const before = await all(here, ref, newest)
        const after = await all(here, ref, oldest)

        assert.deepEqual([...after, ...before], await all(here, ref))
      }),
      propertyRuns(6),
    )
  })

  it('and their complements select everything: by date', async () => {
    const here = await provider()
    const whole = await all(here, 'E3')

    for (const day of range(12)) {
      const before = await all(here, 'E3', {
        'newest-date': `2025-05-${day + 9}`.replace('-9', '-09'),
      })
      const after = await all(here, 'E3', { 'oldest-date': `2025-05-${day + 10}` })

      assert.deepEqual([...after, ...before], whole)
    }
  })

  it('and their complements select everything: by amount, exactly', async () => {
    const here = await provider()
    const amount = fc
      .tuple(fc.integer({ min: -22, max: 22 }), fc.nat({ max: 9 }))
      .map(
        ([whole, tenth]) =>
          [`${whole}.${tenth}`, whole * 10 + (whole < 0 ? -tenth : tenth)] as const,
      )

    await fc.assert(
      fc.asyncProperty(amount, async ([text, tenths]) => {
        const least = await all(here, 'B3', { 'min-amount': text })
        const most = await all(here, 'B3', { 'max-amount': text })
        const equal = await all(here, 'B3', { 'min-amount': text, 'max-amount': text })

        assert.equal(least.length + most.length - equal.length, transactions.length)
        for (const record of equal) {
          assert.equal(Math.round(Number(record.amount) * 10), tenths)
        }
      }),
      propertyRuns(6),
    )
  })

  it('match any part of a description or reference, in any case, and nothing else', async () => {
    const here = await provider()
    const part = fc
      .tuple(
        fc.nat({ max: transactions.length - 1 }),
        fc.nat(),
        fc.nat(),
        fc.boolean(),
        fc.boolean(),
      )
      .map(([index, start, length, upper, inReference]) => {
        const { description, reference } = transactions[index] ?? { description: '' }
        const text = (inReference && reference) || description
        const from = start % text.length
        const substring = text.slice(from, from + 1 + (length % text.length))
        return upper ? substring.toUpperCase() : substring.toLowerCase()
      })

    await fc.assert(
      fc.asyncProperty(part, async (text) => {
        const found = await all(here, 'B3', { text })

        const expected = transactions.filter(({ description, reference = '' }) =>
          [description, reference].some((each) => each.toLowerCase().includes(text.toLowerCase())),
        )
        assert.deepEqual(
          found.map(({ transactionId }) => transactionId).sort(),
          expected.map(({ transactionId }) => transactionId).sort(),
        )
      }),
      propertyRuns(9),
    )
  })
})

describe('order', () => {
  const time = (text: string) => BigInt(Date.parse(text))

  it('is total for the transactions of an account', async () => {
    const records = await all(await provider(), 'B3')

    const keys = records.map(({ transactionId, postingDateTime }) => ({
      id: transactionId,
      time: time(postingDateTime),
    }))
    assert.equal(keys.length, transactions.length)
    assert.deepEqual(keys, keys.toSorted(newestFirst))
  })

  it('is total for the invoices and the billing of accounts, even if keys tie', async () => {
    const here = await provider()

    for (const [ref, key] of [
      ['E3', ({ issueDate, invoiceNumber }) => ({ id: invoiceNumber, time: time(issueDate) })],
      [
        'E5',
        ({ executionDateTime, payment }) => ({
          id: `x${payment.amount.split('.')[1]}`,
          time: time(`${executionDateTime}Z`),
        }),
      ],
    ] as [Ref, (record: ReturnType<typeof getRecords>[number]) => { id: string; time: bigint }][]) {
      const first = await all(here, ref)
      const again = await all(here, ref)

      const keys = first.map(key)
      assert.equal(keys.length, energyIds.length * 25)
      assert.deepEqual(keys, keys.toSorted(newestFirst))
      assert.deepEqual(again, first)
    }
  })

  it('is the requested order of accounts', async () => {
    const here = await provider()
    const some = fc.array(fc.constantFrom(...bankingIds), { minLength: 1, maxLength: 20 })

    await fc.assert(
      fc.asyncProperty(some, fc.constantFrom('B2', 'B5', 'B6'), async (accounts, ref) => {
        const answer = await ask(here, ref, { accounts, query: 'page-size=1000' })

        const actual = [...new Set(getAccountIds(ref, answer))]
        const expected = [...new Set(accounts)].filter((account) => actual.includes(account))
        assert.deepEqual(actual, expected)
        const one = await Promise.all(
          expected.map((account) =>
            ask(here, ref, { accounts: [account], query: 'page-size=1000' }),
          ),
        )
        assert.deepEqual(
          getRecords(ref, answer),
          one.flatMap((each) => getRecords(ref, each)),
        )
      }),
      propertyRuns(5),
    )
  })
})
