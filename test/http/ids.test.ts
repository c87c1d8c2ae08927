import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isForwardable } from '../../src/contract/ids.ts'
import { currentEngine, describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import {
  ask,
  formatPath,
  getOperation,
  getRecords,
  isEnergy,
  type Ref,
  refs,
} from '../support/operations.ts'
import { type Provider, sharedProvider } from '../support/provider.ts'
import { variant } from '../support/variant.ts'

/** Ids that a server might split, decode twice, or confuse with a part of a route. A guard does not forward all of them. */
const ids = [
  'plain',
  'a b',
  'a+b',
  'a/b',
  'a%b',
  'a%2Fb',
  'a%252Fb',
  '%41',
  '100%',
  'a?b=c',
  'a#b',
  'a&b',
  'a;b',
  'a=b',
  'a:b',
  'a,b',
  'a\\b',
  'a"b',
  "a'b",
  'a<b>',
  '{a}',
  ':customerId',
  '*',
  '~',
  '.',
  '..',
  '../a',
  '-',
  '0',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'accounts',
  'balances',
  'billing',
  'invoices',
  'direct-debits',
  'search',
  'É',
  'é',
  'e\u0301',
  '日本語',
  '🦉',
  'ｆｕｌｌ',
  '\u00a0',
  '\u2028',
  '\u200b',
  '\ufffd',
  'case',
  'CASE',
  ' lead',
  'trail ',
  'x'.repeat(256),
].filter((id) => variant !== 'guard' || isForwardable(id))

const provider = sharedProvider([
  ...ids.flatMap((id) => [
    lines.customer(id, { name: `Customer ${id}` }),
    lines.bankingAccount(id, { [id]: true }, { displayName: `Bank of ${id}` }),
    lines.balance(id),
    lines.contact(id),
    lines.transaction(id, id, { description: `Transaction of ${id}` }),
    lines.scheduledPayment(id, id),
    lines.energyAccount(`${id.slice(0, 255)}⚡`, [id]),
    lines.billing(`${id.slice(0, 255)}⚡`, id, '2025-06-01T00:00:00'),
  ]),
])

function accountFor(ref: Ref, id: string): string {
  return isEnergy(ref) ? `${id.slice(0, 255)}⚡` : id
}

/** Every byte percent-encoded: the longest form of a path, which no client normalizes. */
function escapeAll(id: string): string {
  return [...Buffer.from(id)]
    .map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`)
    .join('')
}

function escapeInLowerCase(id: string): string {
  return escapeAll(id).toLowerCase()
}

function sendFor({ send }: Provider, ref: Ref, id: string, encode: (id: string) => string) {
  const { method } = getOperation(ref)
  const accountIds = [accountFor(ref, id)]
  return send(formatPath(ref, { customer: id, accounts: accountIds, encode }), {
    method,
    ...(method === 'POST' && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ref === 'C1' ? { email: 'a@b.c' } : { data: { accountIds } }),
    }),
  })
}

/** Ids in a response are JSON strings. */
function includesId(text: string, id: string): boolean {
  return text.includes(`"${JSON.stringify(id).slice(1, -1)}`)
}

describe('an id of any printable characters', () => {
  // The paths do not depend on the engine; on PostgreSQL, each kind of query is tested once.
  const tested =
    currentEngine() === 'sqlite' ? refs : (['B1', 'BX1', 'B2', 'B3', 'B6', 'E5'] as const)
  for (const ref of tested.filter((ref) => ref !== 'C1' && ref !== 'contact')) {
    it(`is found by ${ref} if every byte is escaped`, async () => {
      const here = await provider()

      for (const id of ids) {
        const answer = await sendFor(here, ref, id, escapeAll)

        assert.equal(answer.status, 200, `${id}: ${answer.text}`)
        const list = getOperation(ref).list && getRecords(ref, answer)
        const expected = ['B5', 'E3'].includes(ref) ? 0 : 1
        if (list) assert.equal(list.length, expected, id)
        if (expected === 1) assert.ok(includesId(answer.text, accountFor(ref, id)), id)
      }
    })
  }

  it('is found by contact if every byte is escaped', async () => {
    const here = await provider()

    for (const id of ids) {
      const answer = await sendFor(here, 'contact', id, escapeAll)

      assert.equal(answer.status, 200, `${id}: ${answer.text}`)
    }
  })

  it('is found with escapes in lower case, and with only the required escapes', async () => {
    const here = await provider()

    for (const id of ids) {
      for (const encode of [escapeInLowerCase, encodeURIComponent]) {
        const answer = await sendFor(here, 'B3', id, encode)

        assert.equal(answer.status, 200, `${id}: ${answer.text}`)
        assert.ok(includesId(answer.text, `Transaction of ${id}`), id)
      }
    }
  })

  it('is served as it was loaded', async () => {
    const here = await provider()

    for (const id of ids) {
      const { body } = await sendFor(here, 'C3', id, escapeAll)

      assert.equal(body.id, id)
      assert.equal(body.name, `Customer ${id}`)
    }
  })

  for (const [requested, loaded] of [
    ['A+B', 'a+b'],
    ['plain ', 'plain'],
    ['Plain', 'plain'],
    ['a%2fb', 'a%2Fb'],
    ['E\u0301', 'É'],
    ['full', 'ｆｕｌｌ'],
    ['A', '%41'],
    ['', 'plain'],
  ].filter(([, loaded = '']) => ids.includes(loaded)) as [string, string][]) {
    it(`is compared exactly: ${JSON.stringify(requested)} is not ${JSON.stringify(loaded)}`, async () => {
      const here = await provider()

      const customer = await here.send(formatPath('C3', { customer: requested, encode: escapeAll }))
      const account = await ask(here, 'B2', { customer: loaded, accounts: [requested] })

      assert.equal(customer.status, 404)
      assert.equal(account.status, 422)
    })
  }

  it('is compared exactly: a lone surrogate is not the replacement character', async () => {
    const here = await provider()
    const surrogate = '\ud800'

    const alone = await ask(here, 'B2', { customer: '\ufffd', accounts: [surrogate] })
    const both = await ask(here, 'B2', { customer: '\ufffd', accounts: ['\ufffd', surrogate] })

    assert.equal(alone.status, 422)
    assert.equal(both.status, 422)
  })

  it('with a plus sign is not one with a space', async () => {
    const { send } = await provider()

    const plus = await send('/auth/v1/customer/a+b')
    const space = await send('/auth/v1/customer/a%20b')

    assert.equal(plus.body.id, 'a+b')
    assert.equal(space.body.id, 'a b')
  })
})

describe('an empty id', () => {
  for (const path of [
    '/auth/v1/customer/',
    '/v1/banking/customer//accounts',
    '/v1/banking/customer/plain/accounts//transactions',
    '/v1/energy/customer/plain/accounts/',
  ]) {
    it(`is no path of an operation: ${path}`, async () => {
      const { send } = await provider()

      for (const method of ['GET', 'POST']) {
        const { status, body } = await send(path, { method })

        assert.equal(status, 404)
        assert.deepEqual(body, { error: 'Resource not found' })
      }
    })
  }
})

describe('an id that cannot be decoded', () => {
  for (const path of ['%', '%4', '%zz', '%ff', '%C3', 'a%', '%ED%A0%80', '%E0%80%AF']) {
    it(`is rejected as an invalid path: ${path}`, async () => {
      const { send } = await provider()

      for (const route of [
        `/auth/v1/customer/${path}`,
        `/v1/banking/customer/plain/accounts/${path}/transactions`,
      ]) {
        const answer = await send(route)

        assert.equal(answer.status, 400)
        assert.deepEqual(Object.keys(answer.body), ['error'])
        assert.match(answer.body.error, /\bpath\b/)
      }
    })
  }

  it('is not found if it can be decoded but is not a valid id', async () => {
    const { send } = await provider()

    for (const path of ['%00', 'plain%00', '%0A', '%7F']) {
      const answer = await send(`/auth/v1/customer/${path}`)

      assert.equal(answer.status, 404)
      assert.deepEqual(answer.body, { error: 'Customer not found' })
    }
  })
})
