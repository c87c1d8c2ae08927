import assert from 'node:assert/strict'
import { it } from 'node:test'
import { restrictionReasons } from '../../src/contract/index.ts'
import { describe } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import * as lines from '../support/lines.ts'
import {
  ask,
  getAccountIds,
  getOperation,
  isEnergy,
  type OperationRequest,
  type Ref,
  refs,
  refsWithBody,
  refsWithPath,
} from '../support/operations.ts'
import { openProvider, sharedProvider, walk } from '../support/provider.ts'
import { until } from '../support/until.ts'

const refsOfCustomers = refs.filter((ref) => getOperation(ref).path.includes('{customer}'))
const refsOfAccounts = [...refsWithPath, ...refsWithBody]
const past = '2020-01-01T00:00:00Z'
const future = '2100-01-01T00:00:00Z'

/** Accounts with everything in them. */
function accountLines(customer: string, bank: string, power: string) {
  return [
    lines.bankingAccount(bank, { [customer]: true }, { openStatus: 'OPEN' }),
    lines.balance(bank),
    lines.transaction(bank, 't1', { description: 'Rent' }),
    lines.scheduledPayment(bank, 's1'),
    lines.directDebit(bank, 'd1'),
    lines.contact(bank),
    lines.energyAccount(power, [customer], { openStatus: 'OPEN' }),
    lines.invoice(power, 'i1', '2025-06-01'),
    lines.billing(power, 'x1', '2025-06-01T00:00:00'),
  ]
}

const provider = sharedProvider([
  lines.customer('ana'),
  ...accountLines('ana', 'bank', 'power'),
  ...restrictionReasons.flatMap((reason) => [
    lines.customer(reason, { email: 'ana@example.com' }),
    ...accountLines(reason, `own-bank-${reason}`, `own-power-${reason}`),
    lines.restriction({ customerId: reason }, reason, future),
    ...accountLines('ana', `bank-${reason}`, `power-${reason}`),
    lines.restriction({ accountId: `bank-${reason}` }, reason),
    lines.restriction({ accountId: `power-${reason}` }, reason),
  ]),
  lines.customer('ben'),
  ...accountLines('ben', 'bens-bank', 'bens-power'),
  lines.restriction({ accountId: 'bens-bank' }, 'harm'),
  lines.restriction({ accountId: 'bens-power' }, 'harm'),
  lines.customer('cy'),
  ...accountLines('cy', 'lifted-bank', 'lifted-power'),
  lines.restriction({ customerId: 'cy' }, 'harm', past),
  lines.restriction({ accountId: 'lifted-bank' }, 'harm', past),
  lines.restriction({ accountId: 'lifted-power' }, 'blocked', past),
  // With the ids of restricted customers, and the other way round.
  ...accountLines('ana', 'harm', 'blocked'),
  ...accountLines('ana', 'ana', 'cy'),
  lines.restriction({ accountId: 'ana' }, 'harm'),
  lines.restriction({ accountId: 'cy' }, 'harm'),
])

const accountFor = (ref: Ref, name = '') => `${isEnergy(ref) ? 'power' : 'bank'}${name}`

function pick({ status, text, headers }: Answer) {
  return { status, text, isRefusal: headers['x-sharing-refused'] }
}

function refusal(unknown: Answer, reason: string) {
  const expected = pick(unknown)
  assert.equal(expected.isRefusal, undefined)
  return { ...expected, status: reason === 'harm' ? 403 : expected.status, isRefusal: 'true' }
}

/** Filters that the accounts do not meet, if the operation has one. */
function unmetFilter(ref: Ref): string {
  const { parameters } = getOperation(ref)
  if (parameters.includes('open-status')) return 'open-status=CLOSED'
  return parameters.includes('text') ? 'text=nothing' : ''
}

describe('a restricted customer', () => {
  for (const reason of restrictionReasons) {
    it(`is refused by every operation with the customer in its path, because of ${reason}`, async () => {
      const here = await provider()
      for (const ref of refsOfCustomers) {
        const own = accountFor(ref, `-${reason}`)
        const unknown = await ask(here, ref, { customer: 'unknown', accounts: [own] })
        assert.partialDeepStrictEqual(unknown, {
          status: 404,
          body: { error: 'Customer not found' },
        })
        for (const accounts of [[`own-${own}`], [own], ['nothing']]) {
          const answer = await ask(here, ref, { customer: reason, accounts })
          assert.deepEqual(pick(answer), refusal(unknown, reason), `${ref} ${accounts}`)
        }
      }
    })
  }

  it('is found by C1, so that the customer can sign in', async () => {
    const { status, body, headers } = await ask(await provider(), 'C1', {})

    assert.deepEqual([status, headers['x-sharing-refused']], [200, undefined])
    const found = body.data.map(({ id }: { id: string }) => id)
    assert.deepEqual(
      restrictionReasons.filter((reason) => !found.includes(reason)),
      [],
    )
  })
})

describe('a restricted account', () => {
  for (const reason of restrictionReasons) {
    it(`is refused by every operation that names it, because of ${reason}`, async () => {
      const here = await provider()
      for (const ref of refsOfAccounts) {
        const account = accountFor(ref, `-${reason}`)
        const requests: OperationRequest[] = [
          { accounts: [account] },
          { accounts: [account], query: unmetFilter(ref) },
          ...(refsWithBody.includes(ref)
            ? [{ accounts: [accountFor(ref), account] }, { accounts: [account, account] }]
            : []),
        ]
        for (const request of requests) {
          const unknown = await ask(here, ref, { ...request, accounts: ['nothing'] })
          assert.equal(unknown.status, refsWithBody.includes(ref) ? 422 : 404)
          const answer = await ask(here, ref, request)
          assert.deepEqual(pick(answer), refusal(unknown, reason), `${ref} ${request.accounts}`)
        }
      }
    })
  }

  it('is refused on later pages and with filters', async () => {
    const here = await provider()
    for (const [ref, query] of [
      ['B3', 'page=2&page-size=1'],
      ['B3', 'text=Rent'],
      ['B3', 'text=a'],
      ['B3', 'min-amount=0'],
      ['E3', 'page=3000&page-size=1000'],
      ['E5', 'page=3000&page-size=1000'],
      ['B5', 'product-category=LEASES'],
    ] as const) {
      const answer = await ask(here, ref, { accounts: [accountFor(ref, '-blocked')], query })
      assert.equal(answer.headers['x-sharing-refused'], 'true', `${ref} ${query}`)
    }
  })

  it('of another customer is unknown, and so is one beside an unknown account', async () => {
    const here = await provider()
    for (const ref of refsOfAccounts) {
      const name = accountFor(ref)
      const unknown = pick(await ask(here, ref, { accounts: ['nothing'] }))
      const cases = [
        [`bens-${name}`],
        ...(refsWithBody.includes(ref)
          ? [
              [`${name}-harm`, 'nothing'],
              ['nothing', `${name}-harm`],
              [`${name}-harm`, `bens-${name}`],
            ]
          : []),
      ]
      for (const accounts of cases) {
        assert.deepEqual(pick(await ask(here, ref, { accounts })), unknown, `${ref} ${accounts}`)
      }
    }
  })

  it('of the other kind is unknown', async () => {
    const here = await provider()
    for (const ref of refsOfAccounts.filter((each) => getOperation(each).kind)) {
      const other = isEnergy(ref) ? 'bank-harm' : 'power-harm'
      const { headers } = await ask(here, ref, { accounts: [other] })
      assert.equal(headers['x-sharing-refused'], undefined, ref)
    }
  })

  it('is refused to prevent harm if another one in the body is refused for another reason', async () => {
    const here = await provider()
    for (const ref of refsWithBody) {
      const others = ['-suspended', '-blocked', ''].map((name) => accountFor(ref, name))
      const harm = accountFor(ref, '-harm')
      for (const accounts of [
        [harm, ...others],
        [...others, harm],
      ]) {
        assert.equal((await ask(here, ref, { accounts })).status, 403, ref)
      }
    }
  })

  it('is left out of the lists of accounts, their totals and their pages', async () => {
    const here = await provider()

    for (const ref of ['B1', 'E1'] as const) {
      const pages = await walk((query) => ask(here, ref, { query }), 'page-size=1')
      const expected = isEnergy(ref) ? ['blocked', 'power'] : ['bank', 'harm']
      assert.deepEqual(
        pages.flatMap((page) => getAccountIds(ref, page)),
        expected,
      )
      for (const { body } of pages) {
        assert.deepEqual(body.meta, { totalRecords: expected.length, totalPages: expected.length })
      }
    }
    const { body } = await ask(here, 'C2', {})
    assert.deepEqual(
      body.accounts.map(({ id }: { id: string }) => id),
      ['bank', 'blocked', 'harm', 'power'],
    )
  })
})

describe('a restriction', () => {
  it('that ended does not apply', async () => {
    const here = await provider()
    for (const ref of refsOfCustomers) {
      const answer = await ask(here, ref, {
        customer: 'cy',
        accounts: [`lifted-${accountFor(ref)}`],
      })
      assert.equal(answer.status, 200, ref)
      assert.equal(answer.headers['x-sharing-refused'], undefined)
    }
    const { body } = await ask(here, 'C2', { customer: 'cy' })
    assert.equal(body.accounts.length, 2)
  })

  it('of a customer is not one of an account with the same id', async () => {
    const here = await provider()

    assert.equal((await ask(here, 'B3', { accounts: ['harm'] })).status, 200)
    assert.equal((await ask(here, 'E4', { accounts: ['blocked'] })).status, 200)
  })

  it('ends by the clock while the server runs', async (t) => {
    const here = await openProvider(t, [
      lines.customer('ana'),
      ...accountLines('ana', 'bank', 'power'),
    ])
    const end = Date.now() + 1500
    const time = new Date(end).toISOString()
    await here.load([
      lines.restriction({ accountId: 'bank' }, 'blocked', time),
      lines.restriction({ accountId: 'power' }, 'harm', time),
    ])

    await Promise.all(
      refsOfAccounts.map((ref) =>
        until(async () => {
          const { status, headers } = await ask(here, ref, { accounts: [accountFor(ref)] })
          const isRefused = headers['x-sharing-refused'] === 'true'
          assert.equal(status === 200, !isRefused, ref)
          if (Date.now() < end) assert.ok(isRefused, `${ref} is not refused`)
          return !isRefused
        }),
      ),
    )

    assert.ok(Date.now() >= end)
    assert.equal((await ask(here, 'C2', {})).body.accounts.length, 2)
  })

  it('changes with its lines, and with nothing else', async (t) => {
    const account = accountLines('ana', 'bank', 'power')
    const here = await openProvider(t, [lines.customer('ana'), ...account])
    const statuses = async () => {
      const answers = await Promise.all(
        (['B2', 'B3', 'E5'] as const).map((ref) => ask(here, ref, { accounts: [accountFor(ref)] })),
      )
      return [...answers.map(({ status }) => status), (await ask(here, 'C3', {})).status]
    }

    await here.load([lines.restriction({ accountId: 'bank' }, 'blocked')])
    assert.deepEqual(await statuses(), [422, 404, 200, 200])
    await here.load([lines.restriction({ accountId: 'bank' }, 'harm')])
    assert.deepEqual(await statuses(), [403, 403, 200, 200])
    await here.load([{ type: 'banking.account', delete: { accountId: 'bank' } }])
    assert.deepEqual(await statuses(), [422, 404, 200, 200])
    await here.load(account)
    assert.deepEqual(await statuses(), [403, 403, 200, 200])
    await here.load([{ type: 'restriction', delete: { accountId: 'bank' } }])
    assert.deepEqual(await statuses(), [200, 200, 200, 200])
    await here.load([lines.restriction({ customerId: 'ana' }, 'suspended')])
    assert.deepEqual(await statuses(), [404, 404, 404, 404])
    await here.load([{ type: 'customer', delete: { id: 'ana' } }])
    await here.load([lines.customer('ana')])
    assert.deepEqual(await statuses(), [404, 404, 404, 404])
    await here.load([{ type: 'restriction', delete: { customerId: 'ana' } }])
    assert.deepEqual(await statuses(), [200, 200, 200, 200])
  })
})
