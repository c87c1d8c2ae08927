import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import {
  ask,
  getOperation,
  getRecords,
  isEnergy,
  pagedRefs,
  type Ref,
} from '../support/operations.ts'
import { sharedProvider, walk } from '../support/provider.ts'

const defaultTime = '2025-07-01T00:00:00Z'
const count = 26
const numbers = Array.from({ length: count }, (_, index) => index)
const bankingIds = numbers.map((number) => `b${number}`)
const energyIds = numbers.map((number) => `e${number}`)

const data = [
  lines.customer('ana'),
  lines.customer('empty'),
  lines.bankingAccount('none', { empty: true }),
  lines.energyAccount('none-energy', ['empty']),
  ...numbers.flatMap((number) => [
    lines.bankingAccount(`b${number}`, { ana: true }),
    lines.balance(`b${number}`),
    lines.energyAccount(`e${number}`, ['ana']),
    lines.transaction('b0', `t${number}`, {
      postingDateTime: `2025-06-01T00:00:${10 + number}Z`,
      description: number % 2 ? 'Rent & "more" = 100% #1 +é' : 'x',
      amount: `${number}.00`,
    }),
    lines.scheduledPayment('b0', `s${number}`),
    lines.directDebit('b0', `d${number}`),
    lines.invoice('e0', `i${number}`, `2025-06-0${1 + (number % 9)}`),
    lines.billing('e0', `x${number}`, `2025-06-01T00:00:${10 + number}`, `${number}`),
  ]),
]
const provider = sharedProvider(data)

/** Accounts whose list has one record more than a default page. */
function accountsFor(ref: Ref): readonly string[] {
  if (ref === 'B2') return bankingIds
  if (ref === 'E2') return energyIds
  return [isEnergy(ref) ? 'e0' : 'b0']
}

function parseLink(link: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(link))
}

for (const ref of pagedRefs) {
  describe(`the pages of ${ref}`, () => {
    const accounts = accountsFor(ref)

    it('have 25 records by default', async () => {
      const answer = await ask(await provider(), ref, { accounts })

      assert.equal(getRecords(ref, answer).length, 25)
      assert.deepEqual(answer.body.meta, { totalRecords: count, totalPages: 2 })
      assert.equal(parseLink(answer.body.links.next)['page-size'], '25')
    })

    for (const [name, page, links] of [
      ['first', 1, { first: 1, last: 6, next: 2 }],
      ['middle', 3, { first: 1, last: 6, next: 4, prev: 2 }],
      ['last', 6, { first: 1, last: 6, prev: 5 }],
      ['page past the end', 7, { first: 1, last: 6, prev: 6 }],
    ] as const) {
      it(`link from the ${name} to ${Object.keys(links).join(', ')}`, async () => {
        const query = `page=${page}&page-size=5`

        const { status, body } = await ask(await provider(), ref, { accounts, query })

        assert.equal(status, 200)
        assert.deepEqual(body.meta, { totalRecords: count, totalPages: 6 })
        const targets = Object.entries<string>(body.links).map(([link, fragment]) => {
          assert.doesNotMatch(fragment, /^[?&]|[?#]| /)
          assert.equal(parseLink(fragment)['page-size'], '5')
          return [link, Number(parseLink(fragment)['page'])]
        })
        assert.deepEqual(Object.fromEntries(targets), links)
      })
    }

    it('are empty past the end, with first, last and prev', async () => {
      const answer = await ask(await provider(), ref, { accounts, query: 'page=900&page-size=5' })

      assert.equal(answer.status, 200)
      assert.deepEqual(getRecords(ref, answer), [])
      assert.deepEqual(answer.body.meta, { totalRecords: count, totalPages: 6 })
      assert.deepEqual(Object.keys(answer.body.links).sort(), ['first', 'last', 'prev'])
    })

    it('of an empty list have totals of 0 and no links', async () => {
      const question =
        ref === 'B1' || ref === 'E1'
          ? { customer: 'empty', query: 'open-status=CLOSED' }
          : getOperation(ref).names === 'body'
            ? { accounts: [] }
            : { customer: 'empty', accounts: [isEnergy(ref) ? 'none-energy' : 'none'] }

      const { status, body } = await ask(await provider(), ref, question)

      assert.equal(status, 200)
      assert.deepEqual(body, {
        data: { [getOperation(ref).list ?? '']: [] },
        links: {},
        meta: { totalRecords: 0, totalPages: 0 },
      })
    })

    it('have no next if one page contains exactly all records', async () => {
      const { body } = await ask(await provider(), ref, { accounts, query: `page-size=${count}` })

      assert.deepEqual(body.meta, { totalRecords: count, totalPages: 1 })
      assert.deepEqual(Object.keys(body.links).sort(), ['first', 'last'])
    })

    it('contain each record once, whether followed by next or by prev', async () => {
      const here = await provider()
      const whole = await ask(here, ref, { accounts, query: 'page-size=1000' })

      const pages = await walk((query) => ask(here, ref, { accounts, query }), 'page-size=4')
      const last = pages.at(-1)
      const first = await ask(here, ref, { accounts, query: last?.body.links.first })
      const end = await ask(here, ref, { accounts, query: first.body.links.last })

      const records = pages.flatMap((page) => getRecords(ref, page))
      assert.deepEqual(records, getRecords(ref, whole))
      assert.deepEqual(first.body, pages[0]?.body)
      assert.deepEqual(end.body, last?.body)
      for (const [index, page] of pages.entries()) {
        if (index === 0) continue
        const back = await ask(here, ref, { accounts, query: page.body.links.prev })
        assert.deepEqual(back.body, pages[index - 1]?.body)
      }
    })
  })
}

describe('links', () => {
  for (const [ref, oldest, newest] of [
    ['B3', { 'oldest-time': '2024-07-01T00:00:00Z' }, { 'newest-time': defaultTime }],
    ['E3', { 'oldest-date': '2023-07-01' }, { 'newest-date': '2025-07-01' }],
    ['E4', { 'oldest-time': '2024-07-01T00:00:00Z' }, { 'newest-time': defaultTime }],
    ['E5', { 'oldest-time': '2024-07-01T00:00:00Z' }, { 'newest-time': defaultTime }],
  ] as const) {
    it(`of ${ref} contain the resolved window`, async () => {
      const query = 'page=2&page-size=5'

      const { body } = await ask(await provider(), ref, { accounts: accountsFor(ref), query })

      for (const link of Object.values<string>(body.links)) {
        const { page, ...rest } = parseLink(link)
        assert.deepEqual(rest, { 'page-size': '5', ...oldest, ...newest })
      }
      assert.equal(Object.keys(body.links).length, 4)
    })

    it(`of ${ref} keep their window as the clock advances`, async (t) => {
      const here = await provider()
      t.after(() => here.setClock(defaultTime))
      const whole = await ask(here, ref, { accounts: accountsFor(ref), query: 'page-size=1000' })

      const pages = await walk(
        (query) => ask(here, ref, { accounts: accountsFor(ref), query }),
        'page-size=6',
        async () => here.setClock('2040-01-01T00:00:00Z'),
      )

      assert.deepEqual(
        pages.flatMap((page) => getRecords(ref, page)),
        getRecords(ref, whole),
      )
    })
  }

  it('repeat every filter of B3, with any characters', async () => {
    const here = await provider()
    const filters = {
      text: 'RENT & "more" = 100% #1 +É',
      'min-amount': '-0.5',
      'max-amount': '19.0',
      'oldest-time': '2025-06-01T10:00:00.000000001+10:00',
      'newest-time': '2025-06-01T00:30:00+00:00',
      'page-size': '2',
    }
    const query = new URLSearchParams(filters).toString()

    const { body } = await ask(here, 'B3', { accounts: ['b0'], query })
    const pages = await walk((next) => ask(here, 'B3', { accounts: ['b0'], query: next }), query)

    for (const link of Object.values<string>(body.links)) {
      const { page, ...rest } = parseLink(link)
      assert.deepEqual(rest, filters)
    }
    assert.deepEqual(
      pages.flatMap((page) => getRecords('B3', page)).map(({ transactionId }) => transactionId),
      ['t19', 't17', 't15', 't13', 't11', 't9', 't7', 't5', 't3', 't1'],
    )
  })

  it('do not repeat unknown parameters', async () => {
    const { body } = await ask(await provider(), 'B1', { query: 'x=1&text=y&page-size=5' })

    assert.deepEqual(parseLink(body.links.next), { page: '2', 'page-size': '5' })
  })
})

describe('following next while newer records are loaded', () => {
  const newer = [
    lines.transaction('b0', 'new', { postingDateTime: '2025-07-01T00:00:00.000000001Z' }),
    lines.transaction('b0', 'newer', { postingDateTime: '2025-07-02T00:00:00Z' }),
    lines.transaction('b0', 'now', lines.pending),
    lines.invoice('e0', '0', '2025-07-02'),
    lines.invoice('e0', 'z', '2025-07-02'),
    lines.billing('e0', 'new', '2025-07-01T00:00:00.000000001'),
    lines.billing('e0', 'newer', '2025-07-02T00:00:00'),
  ]

  it('returns every record of the window once, on every list with a window', async (t) => {
    const here = await provider()
    t.after(() => here.setClock(defaultTime))
    const walks = await Promise.all(
      (['B3', 'E3', 'E4', 'E5'] as const).map(async (ref) => {
        const accounts = accountsFor(ref)
        const whole = await ask(here, ref, { accounts, query: 'page-size=1000' })
        const first = await ask(here, ref, { accounts, query: 'page-size=9' })
        return { ref, accounts, whole, first }
      }),
    )

    await here.load(newer)
    here.setClock('2100-01-01T00:00:00Z')

    for (const { ref, accounts, whole, first } of walks) {
      const { next } = first.body.links
      const rest = await walk((query) => ask(here, ref, { accounts, query }), next)
      const records = [first, ...rest].flatMap((page) => getRecords(ref, page))
      assert.equal(rest.length, 2)
      assert.deepEqual(records, getRecords(ref, whole))

      const grown = await ask(here, ref, { accounts, query: 'oldest-time=2000-01-01T00:00:00Z' })
      assert.ok(ref === 'E3' || grown.body.meta.totalRecords > count)
    }
  })
})
