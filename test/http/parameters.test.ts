import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, describeOnce } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import {
  ask,
  getOperation,
  getRecords,
  isEnergy,
  pagedRefs,
  type Ref,
  refs,
} from '../support/operations.ts'
import { sharedProvider } from '../support/provider.ts'

const provider = sharedProvider([
  lines.customer('ana'),
  lines.bankingAccount('a1', { ana: true }),
  lines.balance('a1'),
  lines.contact('a1'),
  lines.transaction('a1', 't1'),
  lines.energyAccount('e1', ['ana']),
  lines.billing('e1', 'x', '2025-06-01T00:00:00'),
])

function accountsFor(ref: Ref): string[] {
  return [isEnergy(ref) ? 'e1' : 'a1']
}

/** A valid value of every query parameter. */
const validValues: Readonly<Record<string, string>> = {
  'product-category': 'LEASES',
  'open-status': 'OPEN',
  'is-owned': 'true',
  'oldest-time': '2025-01-01T00:00:00Z',
  'newest-time': '2025-01-02T00:00:00Z',
  'oldest-date': '2025-01-01',
  'newest-date': '2025-01-02',
  'min-amount': '1',
  'max-amount': '2',
  text: 'x',
  page: '1',
  'page-size': '10',
}

describeOnce('a repeated parameter', () => {
  for (const ref of refs.filter((ref) => getOperation(ref).parameters.length > 0)) {
    it(`is rejected by ${ref} if it is one of its parameters`, async () => {
      const here = await provider()

      for (const name of getOperation(ref).parameters) {
        const value = validValues[name] ?? assert.fail(`${name} has no valid value here`)
        const once = await ask(here, ref, { accounts: accountsFor(ref), query: `${name}=${value}` })
        assert.equal(once.status, 200, once.text)

        for (const query of [
          `${name}=${value}&${name}=${value}`,
          `${name}=${value}&x=y&${name}=other`,
          `${name}=&${name}=${value}`,
          `${name}=${value}&%${name.charCodeAt(0).toString(16)}${name.slice(1)}=${value}`,
        ]) {
          const { status, body } = await ask(here, ref, { accounts: accountsFor(ref), query })

          assert.equal(status, 400, query)
          assert.match(body.error, new RegExp(`^${name} must be `), query)
        }
      }
    })
  }
})

describeOnce('an unknown parameter', () => {
  for (const ref of refs) {
    it(`has no effect on ${ref}, even if repeated`, async () => {
      const here = await provider()
      const accounts = accountsFor(ref)
      const plain = await ask(here, ref, { accounts })

      for (const query of [
        'pagesize=1',
        'Page=0',
        'PAGE-SIZE=0',
        'page_size=zero&page_size=zero',
        'x',
        '=',
        '&&',
        'page%20=0',
        '__proto__=1&constructor=2&toString=3',
        '__proto__[page]=0',
        'customerId=ben&accountId=b1',
        '%zz=%zz',
      ]) {
        const answer = await ask(here, ref, { accounts, query })

        assert.equal(answer.status, plain.status, query)
        assert.equal(answer.text, plain.text, query)
      }
    })
  }
})

describe('page and page-size', () => {
  for (const ref of pagedRefs) {
    it(`are whole numbers from 1 on ${ref}, the size up to 1000`, async () => {
      const here = await provider()
      const accounts = accountsFor(ref)

      for (const [name, values] of Object.entries({
        page: [
          '0',
          '-1',
          '',
          'zero',
          '1.5',
          '1.0',
          '1e1',
          '0x1',
          ' 1',
          '1 ',
          '١',
          'null',
          'NaN',
          'Infinity',
          '1,2',
        ],
        'page-size': ['0', '-1', '1001', '', 'all', '2.5', '1e2', '%2B5', '99999999999999999999'],
      })) {
        for (const value of values) {
          const query = `${name}=${value.includes('%') ? value : encodeURIComponent(value)}`
          const { status, body } = await ask(here, ref, { accounts, query })

          assert.equal(status, 400, query)
          assert.match(body.error, new RegExp(`^${name} must be a whole number from 1`), query)
        }
      }
    })

    it(`may be 1 and 1000 on ${ref}, and the page any number`, async () => {
      const here = await provider()

      for (const query of ['page=1&page-size=1', 'page-size=1000', 'page=9007199254740991']) {
        const { status } = await ask(here, ref, { accounts: accountsFor(ref), query })

        assert.equal(status, 200, query)
      }
    })
  }

  it('have a limit that the error names', async () => {
    const { body } = await ask(await provider(), 'B1', { query: 'page-size=1001' })

    assert.deepEqual(body, { error: 'page-size must be a whole number from 1 to 1000' })
  })
})

describe('oldest-time and newest-time', () => {
  for (const ref of ['B3', 'E4', 'E5'] as const) {
    for (const name of ['oldest-time', 'newest-time']) {
      it(`are RFC 3339 date-times: ${name} of ${ref}`, async () => {
        const here = await provider()

        for (const value of [
          '',
          'now',
          '2025',
          '2025-06-01',
          '2025-06-01T00:00:00',
          '2025-06-01T00:00Z',
          '2025-06-01T24:00:00Z',
          '2025-06-01T00:60:00Z',
          '2025-06-01T00:00:60Z',
          '2025-06-01T23:59:60+10:00',
          '2025-02-29T00:00:00Z',
          '2025-13-01T00:00:00Z',
          '2025-06-01T00:00:00+1000',
          '2025-06-01T00:00:00+24:00',
          '2025-06-01T00:00:00.Z',
          '2025-06-01T00:00:00Z[UTC]',
          '+002025-06-01T00:00:00Z',
          '20250601T000000Z',
          '2025-W23-1T00:00:00Z',
          '1748736000',
          ' 2025-06-01T00:00:00Z',
        ]) {
          const query = new URLSearchParams({ [name]: value }).toString()
          const { status, body } = await ask(here, ref, { accounts: accountsFor(ref), query })

          assert.equal(status, 400, value)
          assert.deepEqual(body, {
            error: `${name} must be an RFC 3339 date-time`,
          })
        }
      })
    }

    it(`have at most 9 fraction digits, as the error says, on ${ref}`, async () => {
      const query = 'newest-time=2025-06-01T00:00:00.0000000001Z'
      const answer = await ask(await provider(), ref, { accounts: accountsFor(ref), query })

      assert.equal(answer.status, 400)
      assert.deepEqual(answer.body, {
        error: 'newest-time must be an RFC 3339 date-time with at most 9 fraction digits',
      })
    })

    it(`may be written as RFC 3339 allows on ${ref}`, async () => {
      const here = await provider()

      for (const value of [
        '2025-06-01T00:00:00Z',
        '2025-06-01t00:00:00z',
        '2025-06-01T00:00:00.5Z',
        '2025-06-01T00:00:00.123456789Z',
        '2025-06-01T10:00:00+10:00',
        '2025-05-31T23:30:00-00:30',
        '2025-06-01T00:00:00-00:00',
        '2016-12-31T23:59:60Z',
        '2024-02-29T00:00:00Z',
      ]) {
        const query = new URLSearchParams({ 'oldest-time': value, 'newest-time': value }).toString()
        const { status, text } = await ask(here, ref, { accounts: accountsFor(ref), query })

        assert.equal(status, 200, text)
      }
    })
  }
})

describe('a query that cannot be decoded', () => {
  for (const query of ['text=%', 'text=%zz', 'text=%ff', 'text=%E0%A4', 'text=%C0%AF']) {
    it(`is never an internal error: ${query}`, async () => {
      const answer = await ask(await provider(), 'B3', { accounts: ['a1'], query })

      assert.ok([200, 400].includes(answer.status), answer.text)
      if (answer.status === 200) assert.deepEqual(getRecords('B3', answer), [])
      else assert.match(answer.body.error, /^text must be /)
    })
  }
})
