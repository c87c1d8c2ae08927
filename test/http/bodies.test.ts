import assert from 'node:assert/strict'
import { it } from 'node:test'
import { nestingMax } from '../../src/contract/index.ts'
import { describe, describeOnce } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import {
  ask,
  formatPath,
  getAccountIds,
  getOperation,
  getRecords,
  type Ref,
  refsWithBody,
} from '../support/operations.ts'
import { sharedProvider } from '../support/provider.ts'

const count = 1000
const numbers = Array.from({ length: count }, (_, index) => index)
const bankingIds = numbers.map((number) => `b${number}`)
const energyIds = numbers.map((number) => `e${number}`)
const unknown = { error: 'Account in query not found' }

const provider = sharedProvider([
  lines.customer('ana'),
  lines.customer('ben'),
  lines.bankingAccount('ben-bank', { ben: true }),
  lines.energyAccount('ben-energy', ['ben']),
  lines.bankingAccount('closed', { ana: true }, { openStatus: 'CLOSED' }),
  lines.balance('closed'),
  lines.directDebit('closed', 'd1'),
  lines.scheduledPayment('closed', 'closed'),
  lines.energyAccount('closed-energy', ['ana'], { openStatus: 'CLOSED' }),
  lines.bankingAccount('bare', { ana: true }),
  lines.energyAccount('bare-energy', ['ana']),
  ...bankingIds.flatMap((id) => [
    lines.bankingAccount(id, { ana: true }),
    lines.balance(id),
    lines.directDebit(id, 'd1'),
    lines.scheduledPayment(id, `payment of ${id}`),
  ]),
  ...energyIds.flatMap((id) => [
    lines.energyAccount(id, ['ana']),
    lines.invoice(id, 'i1', '2025-06-01'),
    lines.billing(id, 'x1', '2025-06-01T10:00:00'),
  ]),
])

/** Lists in the order of the request; the other two are ordered by time. */
const refsInRequestOrder: readonly Ref[] = ['B2', 'B5', 'B6', 'E2']

function idsFor(ref: Ref): readonly string[] {
  return getOperation(ref).kind === 'energy' ? energyIds : bankingIds
}

function pick(ref: Ref, ...indexes: readonly number[]): string[] {
  return indexes.map((index) => idsFor(ref)[index] ?? '')
}

describe('a body that names accounts', () => {
  for (const ref of refsWithBody) {
    it(`selects the accounts of ${ref}`, async () => {
      const here = await provider()

      const answer = await ask(here, ref, { accounts: pick(ref, 3, 7) })

      assert.equal(answer.status, 200)
      assert.deepEqual(Object.keys(answer.body), ['data', 'links', 'meta'])
      assert.deepEqual(getAccountIds(ref, answer).sort(), pick(ref, 3, 7).sort())
      assert.deepEqual(answer.body.meta, { totalRecords: 2, totalPages: 1 })
    })

    it(`may be empty on ${ref}, as is the list then`, async () => {
      const here = await provider()

      const { status, body } = await ask(here, ref, { accounts: [] })

      assert.equal(status, 200)
      assert.deepEqual(body, {
        data: { [getOperation(ref).list ?? '']: [] },
        links: {},
        meta: { totalRecords: 0, totalPages: 0 },
      })
    })

    it(`counts a repeated account of ${ref} once`, async () => {
      const here = await provider()

      const answer = await ask(here, ref, { accounts: pick(ref, 2, 1, 2, 1, 1) })

      assert.equal(answer.body.meta.totalRecords, 2)
      assert.deepEqual(getAccountIds(ref, answer).sort(), pick(ref, 1, 2))
    })

    it(`may name ${count} accounts on ${ref}, and not one more`, async () => {
      const here = await provider()
      const accounts = idsFor(ref).toReversed()

      const most = await ask(here, ref, { accounts, query: 'page-size=1000' })
      const tooMany = await ask(here, ref, { accounts: [...accounts, 'bare'] })

      assert.equal(most.status, 200)
      assert.equal(most.body.meta.totalRecords, count)
      assert.deepEqual(getAccountIds(ref, most).sort(), accounts.toSorted())
      assert.equal(tooMany.status, 400)
      assert.match(tooMany.body.error, /^data\.accountIds must be .*\b1000\b/)
    })

    it(`is rejected by ${ref} if one account is not the customer’s`, async () => {
      const here = await provider()
      const [known = ''] = pick(ref, 5)
      const invalidIds = [
        'missing',
        'ben-bank',
        'ben-energy',
        getOperation(ref).kind === 'energy' ? 'b1' : 'e1',
        known.toUpperCase(),
        `${known} `,
        `${known}\u0000`,
        '',
        'x'.repeat(257),
        'constructor',
        '%',
      ]

      for (const invalid of invalidIds) {
        for (const accounts of [[invalid], [known, invalid], [invalid, known]]) {
          const { status, body } = await ask(here, ref, { accounts })

          assert.equal(status, 422, invalid)
          assert.deepEqual(body, unknown)
        }
      }
    })

    it(`may have unknown members on ${ref}`, async () => {
      const here = await provider()
      const accountIds = pick(ref, 1)

      const { status, body } = await here.post(formatPath(ref, {}), {
        data: { accountIds, more: 1 },
        other: { accountIds: ['missing'] },
      })

      assert.equal(status, 200)
      assert.equal(body.meta.totalRecords, 1)
    })
  }

  for (const ref of refsInRequestOrder) {
    it(`sets the order of ${ref}`, async () => {
      const here = await provider()
      const accounts = pick(ref, 900, 3, 17, 999, 0, 3, 512, 17)

      const answer = await ask(here, ref, { accounts })

      assert.deepEqual(getAccountIds(ref, answer), pick(ref, 900, 3, 17, 999, 0, 512))
    })

    it(`sets the order of ${ref} across all pages`, async () => {
      const here = await provider()
      const accounts = idsFor(ref).toSorted((a, b) =>
        (a.at(-1) ?? '').localeCompare(b.at(-1) ?? ''),
      )

      const last = await ask(here, ref, { accounts, query: 'page=67&page-size=15' })

      assert.deepEqual(getAccountIds(ref, last), accounts.slice(990))
      assert.deepEqual(last.body.meta, { totalRecords: count, totalPages: 67 })
    })
  }

  for (const ref of ['B2', 'B5', 'B6', 'E2'] as const) {
    it(`is checked by ${ref} before its filters`, async () => {
      const here = await provider()
      const closed = getOperation(ref).kind === 'energy' ? 'closed-energy' : 'closed'
      const query = 'open-status=OPEN'

      const filtered = await ask(here, ref, { accounts: [closed, ...pick(ref, 1)], query })
      const rejected = await ask(here, ref, { accounts: [closed, 'missing'], query })

      assert.equal(filtered.status, 200)
      assert.deepEqual(getAccountIds(ref, filtered), pick(ref, 1))
      assert.equal(rejected.status, 422)
      assert.deepEqual(rejected.body, unknown)
    })
  }

  for (const ref of ['B5', 'B6', 'E3', 'E5'] as const) {
    it(`may name an account without records on ${ref}`, async () => {
      const here = await provider()
      const bare = getOperation(ref).kind === 'energy' ? 'bare-energy' : 'bare'

      const answer = await ask(here, ref, { accounts: [bare, ...pick(ref, 1)] })

      assert.equal(answer.status, 200)
      assert.deepEqual(getAccountIds(ref, answer), pick(ref, 1))
    })
  }

  for (const [name, body, sentence] of [
    ['nothing', '', /^the body must be an object$/],
    ['invalid JSON', '{"data":', /\bJSON\b/],
    ['JSON with a comment', '{"data":{"accountIds":[]}} // all', /\bJSON\b/],
    ['null', 'null', /body/],
    ['a list', '[]', /body/],
    ['a string', '"data"', /body/],
    ['a number', '1', /body/],
    ['no data', '{}', /^data /],
    ['data that is null', '{"data":null}', /^data /],
    ['data that is a list', '{"data":[]}', /^data /],
    ['the ids in the wrong place', '{"accountIds":["b1"]}', /^data /],
    ['no ids', '{"data":{}}', /^data\.accountIds /],
    ['ids that are null', '{"data":{"accountIds":null}}', /^data\.accountIds /],
    ['ids that are a string', '{"data":{"accountIds":"b1"}}', /^data\.accountIds /],
    ['ids that are an object', '{"data":{"accountIds":{"0":"b1"}}}', /^data\.accountIds /],
    ['an id that is a number', '{"data":{"accountIds":["b1",1]}}', /^data\.accountIds\[1\] /],
    ['an id that is null', '{"data":{"accountIds":[null]}}', /^data\.accountIds\[0\] /],
    ['an id that is a list', '{"data":{"accountIds":[["b1"]]}}', /^data\.accountIds\[0\] /],
    ['an id that is true', '{"data":{"accountIds":[true]}}', /^data\.accountIds\[0\] /],
  ] as const) {
    it(`is rejected with a specific error: ${name}`, async () => {
      const { post } = await provider()

      for (const ref of refsWithBody) {
        const answer = await post(formatPath(ref, {}), body)

        assert.equal(answer.status, 400, ref)
        assert.deepEqual(Object.keys(answer.body), ['error'])
        assert.match(answer.body.error, sentence, ref)
      }
    })
  }
})

/** A valid body as text. */
function validBody(ref: Ref): string {
  return ref === 'C1' ? '{"email":"ana@example.com"}' : '{"data":{"accountIds":[]}}'
}

describeOnce('the body of every POST', () => {
  for (const ref of [...refsWithBody, 'C1'] as const) {
    it(`is rejected by ${ref} if an object has a repeated member`, async () => {
      const { post } = await provider()
      const valid = validBody(ref)
      const [, name = ''] = /^\{"(\w+)"/.exec(valid) ?? []
      const repeated = `${valid.slice(0, -1)},${valid.slice(1)}`
      const escaped = repeated.replace(
        `"${name}"`,
        `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}"`,
      )

      assert.equal((await post(formatPath(ref, {}), valid)).status, 200)
      for (const body of [repeated, escaped]) {
        const answer = await post(formatPath(ref, {}), body)

        assert.equal(answer.status, 400)
        assert.deepEqual(answer.body, { error: `${name} appears twice in one object` })
      }
    })

    it(`is rejected by ${ref} if it is not UTF-8`, async () => {
      const { post } = await provider()
      const valid = Buffer.from(`${validBody(ref).slice(0, -1)},"note":"é"}`)

      const accepted = await post(formatPath(ref, {}), valid)
      const rejected = await post(formatPath(ref, {}), Buffer.from(valid.toString(), 'latin1'))

      assert.equal(accepted.status, 200)
      assert.equal(rejected.status, 400)
      assert.deepEqual(rejected.body, { error: 'the body must be UTF-8' })
    })
  }

  it('is rejected if it is nested deeply', async () => {
    const { post } = await provider()
    const nest = (levels: number) =>
      `{"data":{"accountIds":[],"more":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}}`

    const accepted = await post(formatPath('B2', {}), nest(nestingMax))
    for (const levels of [nestingMax + 1, 1_000_000]) {
      const rejected = await post(formatPath('B2', {}), nest(levels))

      assert.equal(rejected.status, 400)
      assert.deepEqual(rejected.body, {
        error: `the body must not be nested deeper than ${nestingMax} levels`,
      })
    }
    assert.equal(accepted.status, 200)
  })

  it('is rejected if an unknown member is repeated', async () => {
    const { post } = await provider()

    const { status, body } = await post(
      formatPath('B2', {}),
      '{"data":{"accountIds":[],"more":[{"a":1,"a":1}]}}',
    )

    assert.equal(status, 400)
    assert.deepEqual(body, { error: 'a appears twice in one object' })
  })
})

describe('B2, the balances of accounts', () => {
  it('serves both amounts as decimal strings', async () => {
    const here = await provider()

    const answer = await ask(here, 'B2', { accounts: ['b1'] })

    assert.deepEqual(getRecords('B2', answer), [
      { accountId: 'b1', currentBalance: '10.00', availableBalance: '9.00' },
    ])
  })
})
