import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import * as lines from '../support/lines.ts'
import { ask, getRecords, type Ref } from '../support/operations.ts'
import { type Provider, sharedProvider } from '../support/provider.ts'

/** Long histories, so that later pages are found with another algorithm than the first. */
const accounts = ['e1', 'e2', 'e3']
const billingCount = 900
const invoiceCount = 700
const transactionCount = 4500

/** The offsets of these pages, of ten records each, are around the largest integers of 32 and of 53 bits. */
const farNumbers = [214_748_364, 214_748_365, 900_719_925_474_099]

interface Entry {
  readonly account: string
  readonly id: string
  readonly time: string
  /** Unique. */
  readonly name: string
}

/** Few times and ids, so that many entries share them, within and across accounts. */
const billing = createEntries(billingCount, (index) => {
  const minute = (index * 7919) % 240
  return new Date(Date.UTC(2025, 0, 1, 0, minute)).toISOString().slice(0, 19)
})
const invoices = createEntries(invoiceCount, (index) => {
  return new Date(Date.UTC(2025, 0, 1 + ((index * 31) % 60))).toISOString().slice(0, 10)
})

function createEntries(count: number, timeAt: (index: number) => string): Entry[] {
  return accounts.flatMap((account, offset) =>
    Array.from({ length: count }, (_, index) => ({
      account,
      id: `${(index * 13) % count}`.padStart(index % 3, '0'),
      time: timeAt(index + offset),
      name: `${index * accounts.length + offset}`,
    })),
  )
}

const transactions = Array.from({ length: transactionCount }, (_, index) => ({
  id: `t${index}`,
  postingDateTime: new Date(Date.UTC(2025, 0, 1) + (index >> 1) * 1000).toISOString(),
  amount: `${(index % 41) - 20}.${index % 10}0`,
  description: index % 7 === 0 ? 'Bakery' : 'Rent',
}))

const provider = sharedProvider([
  lines.customer('ana'),
  ...accounts.map((id) => lines.energyAccount(id, ['ana'])),
  ...billing.map(({ account, id, time, name }) => lines.billing(account, id, time, name)),
  ...invoices.map(({ account, id, time, name }) => {
    const { type, record } = lines.invoice(account, id, time)
    return { type, record: { ...record, invoiceAmount: name } }
  }),
  lines.bankingAccount('long', { ana: true }),
  ...transactions.map(({ id, ...fields }) => lines.transaction('long', id, fields)),
])

function newestFirst(a: Entry, b: Entry): number {
  if (a.time !== b.time) return a.time > b.time ? -1 : 1
  return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))
}

const idsByName = {
  E3: new Map(invoices.map(({ name, id }) => [name, id])),
  E5: new Map(billing.map(({ name, id }) => [name, id])),
}

/** The sort key and the name of each record of a page. */
function readKeys(ref: 'E3' | 'E5', answer: Answer): { key: string; name: string }[] {
  assert.equal(answer.status, 200, answer.text)
  return getRecords(ref, answer).map((record) => {
    const name = record.invoiceAmount ?? record.payment.amount
    const time = record.issueDate ?? record.executionDateTime
    return { key: `${time} ${idsByName[ref].get(name)}`, name }
  })
}

async function getPage(
  here: Provider,
  ref: Ref,
  number: number,
  size: number,
  query = '',
): Promise<Answer> {
  const text = `${query}&page=${number}&page-size=${size}`
  return ask(here, ref, { accounts: ref === 'B3' ? ['long'] : accounts, query: text })
}

for (const [ref, all, narrow] of [
  ['E5', billing, { 'oldest-time': '2025-01-01T00:20:00Z', 'newest-time': '2025-01-01T03:40:00Z' }],
  ['E3', invoices, { 'oldest-date': '2025-01-03', 'newest-date': '2025-02-27' }],
] as const) {
  describe(`${ref} with several long histories`, () => {
    const bounds = Object.values(narrow).map((bound) => bound.replace('Z', ''))
    for (const [name, query, expected] of [
      ['the whole history', '', all.toSorted(newestFirst)],
      [
        'a window',
        new URLSearchParams(narrow).toString(),
        all
          .filter(({ time }) => time >= (bounds[0] ?? '') && time <= (bounds[1] ?? ''))
          .sort(newestFirst),
      ],
    ] as const) {
      const keys = expected.map(({ time, id }) => `${time} ${id}`)

      for (const size of [1, 7, 25, 1000]) {
        it(`serves the right page of ${size} at any depth of ${name}`, async () => {
          const here = await provider()
          const last = Math.ceil(expected.length / size)
          // Around the rank at which the algorithm changes, which is below 1700.
          const around = [1660, 1666, 1667, 1668, 1690].map((rank) => Math.ceil(rank / size))
          const numbers = new Set([
            1,
            2,
            3,
            Math.ceil(last / 2),
            ...around,
            last - 1,
            last,
            last + 1,
            ...farNumbers,
          ])

          for (const number of [...numbers].filter((each) => each >= 1)) {
            const answer = await getPage(here, ref, number, size, query)

            assert.deepEqual(
              readKeys(ref, answer).map(({ key }) => key),
              keys.slice((number - 1) * size, number * size),
              `page ${number}`,
            )
            assert.deepEqual(answer.body.meta, {
              totalRecords: expected.length,
              totalPages: last,
            })
          }
        })
      }

      it(`has each record on one page of ${name}`, async () => {
        const here = await provider()
        const names: string[] = []

        for (let number = 1; names.length < expected.length; number += 1) {
          const answer = await getPage(here, ref, number, 90, query)
          assert.notEqual(getRecords(ref, answer).length, 0)
          names.push(...readKeys(ref, answer).map(({ name }) => name))
        }

        assert.deepEqual(names.sort(), expected.map(({ name }) => name).sort())
      })
    }

    it('has the same order on pages of any depth', async () => {
      const here = await provider()

      const deep = readKeys(ref, await getPage(here, ref, 2, 1000))
      const shallow = readKeys(ref, await getPage(here, ref, 11, 100))

      assert.deepEqual(deep.slice(0, 100), shallow)
    })
  })
}

describe('B3 with a long history', () => {
  const newest = transactions.toSorted(
    (a, b) =>
      b.postingDateTime.localeCompare(a.postingDateTime) ||
      Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)),
  )
  for (const [query, keeps] of [
    ['', () => true],
    ['text=baker', ({ description }) => description === 'Bakery'],
    ['min-amount=20', ({ amount }) => Number(amount) >= 20],
    ['min-amount=-1&max-amount=1.5', ({ amount }) => Number(amount) >= -1 && Number(amount) <= 1.5],
    [
      'text=RENT&newest-time=2025-01-01T00:35:00Z',
      ({ description, postingDateTime }) =>
        description === 'Rent' && postingDateTime <= '2025-01-01T00:35:00.000Z',
    ],
    ['text=nowhere', () => false],
  ] as [string, (transaction: (typeof transactions)[number]) => boolean][]) {
    it(`serves the right page and totals at any depth with ${query || 'no filter'}`, async () => {
      const here = await provider()
      const expected = newest.filter(keeps).map(({ id }) => id)
      const last = Math.ceil(expected.length / 10)

      const numbers = [1, 2, Math.max(1, last >> 1), Math.max(1, last), last + 1, ...farNumbers]
      for (const number of new Set(numbers)) {
        const answer = await getPage(here, 'B3', number, 10, query)

        assert.deepEqual(
          getRecords('B3', answer).map(({ transactionId }) => transactionId),
          expected.slice((number - 1) * 10, number * 10),
        )
        assert.deepEqual(answer.body.meta, { totalRecords: expected.length, totalPages: last })
      }
    })
  }
})

describe('concurrent requests', () => {
  it('get the same responses as sequential ones', async () => {
    const here = await provider()
    const requests = Array.from({ length: 40 }, (_, index) =>
      index % 2
        ? () => getPage(here, 'E5', 1 + index * 2, 25)
        : () => getPage(here, 'B3', 1 + index, 25, index % 4 ? 'text=rent' : ''),
    )

    const concurrent = await Promise.all(requests.map((request) => request()))

    for (const [index, request] of requests.entries()) {
      assert.equal(concurrent[index]?.text, (await request()).text)
    }
  })
})
