import assert from 'node:assert/strict'
import { it } from 'node:test'
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

/** Lists that follow the request; the other two follow time. */
const inOrderAsked: readonly Ref[] = ['B2', 'B5', 'B6', 'E2']

function idsFor(ref: Ref): readonly string[] {
  return getOperation(ref).kind === 'energy' ? energyIds : bankingIds
}

function pick(ref: Ref, ...indexes: readonly number[]): string[] {
  return indexes.map((index) => idsFor(ref)[index] ?? '')
}

describe('a body that names accounts', () => {
  for (const ref of refsWithBody) {
    it(`is answered by ${ref} for the accounts named and no others`, async () => {
      const here = await provider()

      const answer = await ask(here, ref, { accounts: pick(ref, 3, 7) })

      assert.equal(answer.status, 200)
      assert.deepEqual(Object.keys(answer.body), ['data', 'links', 'meta'])
      assert.deepEqual(getAccountIds(ref, answer).sort(), pick(ref, 3, 7).sort())
      assert.deepEqual(answer.body.meta, { totalRecords: 2, totalPages: 1 })
    })

    it(`may be empty on ${ref}: so is the list`, async () => {
      const here = await provider()

      const { status, body } = await ask(here, ref, { accounts: [] })

      assert.equal(status, 200)
      assert.deepEqual(body, {
        data: { [getOperation(ref).list ?? '']: [] },
        links: {},
        meta: { totalRecords: 0, totalPages: 0 },
      })
    })

    it(`counts an account that ${ref} is asked for twice once`, async () => {
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

    it(`is refused whole by ${ref} where one account is not the customer’s`, async () => {
      const here = await provider()
      const [known = ''] = pick(ref, 5)
      const strangers = [
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

      for (const stranger of strangers) {
        for (const accounts of [[stranger], [known, stranger], [stranger, known]]) {
          const { status, body } = await ask(here, ref, { accounts })

          assert.equal(status, 422, stranger)
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

  for (const ref of inOrderAsked) {
    it(`sets the order of ${ref}`, async () => {
      const here = await provider()
      const accounts = pick(ref, 900, 3, 17, 999, 0, 3, 512, 17)

      const answer = await ask(here, ref, { accounts })

      assert.deepEqual(getAccountIds(ref, answer), pick(ref, 900, 3, 17, 999, 0, 512))
    })

    it(`sets the order of ${ref} over all its pages`, async () => {
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
    it(`is judged by ${ref} before its filters`, async () => {
      const here = await provider()
      const closed = getOperation(ref).kind === 'energy' ? 'closed-energy' : 'closed'
      const query = 'open-status=OPEN'

      const narrowed = await ask(here, ref, { accounts: [closed, ...pick(ref, 1)], query })
      const refused = await ask(here, ref, { accounts: [closed, 'missing'], query })

      assert.equal(narrowed.status, 200)
      assert.deepEqual(getAccountIds(ref, narrowed), pick(ref, 1))
      assert.equal(refused.status, 422)
      assert.deepEqual(refused.body, unknown)
    })
  }

  for (const ref of ['B2', 'B5', 'B6', 'E3', 'E5'] as const) {
    it(`may name an account on ${ref} that has nothing to show`, async () => {
      const here = await provider()
      const bare = getOperation(ref).kind === 'energy' ? 'bare-energy' : 'bare'

      const answer = await ask(here, ref, { accounts: [bare, ...pick(ref, 1)] })

      assert.equal(answer.status, 200)
      assert.deepEqual(getAccountIds(ref, answer), pick(ref, 1))
    })
  }

  for (const [name, body, sentence] of [
    ['nothing', '', /^the body must be an object$/],
    ['broken JSON', '{"data":', /\bJSON\b/],
    ['JSON with a comment', '{"data":{"accountIds":[]}} // all', /\bJSON\b/],
    ['null', 'null', /body/],
    ['a list', '[]', /body/],
    ['a text', '"data"', /body/],
    ['a number', '1', /body/],
    ['no data', '{}', /^data /],
    ['data that is null', '{"data":null}', /^data /],
    ['data that is a list', '{"data":[]}', /^data /],
    ['the ids in the wrong place', '{"accountIds":["b1"]}', /^data /],
    ['no ids', '{"data":{}}', /^data\.accountIds /],
    ['ids that are null', '{"data":{"accountIds":null}}', /^data\.accountIds /],
    ['ids that are one text', '{"data":{"accountIds":"b1"}}', /^data\.accountIds /],
    ['ids that are an object', '{"data":{"accountIds":{"0":"b1"}}}', /^data\.accountIds /],
    ['an id that is a number', '{"data":{"accountIds":["b1",1]}}', /^data\.accountIds\[1\] /],
    ['an id that is null', '{"data":{"accountIds":[null]}}', /^data\.accountIds\[0\] /],
    ['an id that is a list', '{"data":{"accountIds":[["b1"]]}}', /^data\.accountIds\[0\] /],
    ['an id that is true', '{"data":{"accountIds":[true]}}', /^data\.accountIds\[0\] /],
  ] as const) {
    it(`is refused as ${name}, by a sentence that says so`, async () => {
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

/** The body that each operation takes, as text. */
function bodyFor(ref: Ref): string {
  return ref === 'C1' ? '{"email":"ana@example.com"}' : '{"data":{"accountIds":[]}}'
}

describeOnce('the body of every POST', () => {
  for (const ref of [...refsWithBody, 'C1'] as const) {
    it(`is refused by ${ref} where an object has a member twice`, async () => {
      const { post } = await provider()
      const good = bodyFor(ref)
      const [, name = ''] = /^\{"(\w+)"/.exec(good) ?? []
      const twice = `${good.slice(0, -1)},${good.slice(1)}`
      const escaped = twice.replace(
        `"${name}"`,
        `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}"`,
      )

      assert.equal((await post(formatPath(ref, {}), good)).status, 200)
      for (const body of [twice, escaped]) {
        const answer = await post(formatPath(ref, {}), body)

        assert.equal(answer.status, 400)
        assert.deepEqual(answer.body, { error: `${name} appears twice in one object` })
      }
    })

    it(`is refused by ${ref} where it is not UTF-8`, async () => {
      const { post } = await provider()
      const good = Buffer.from(`${bodyFor(ref).slice(0, -1)},"note":"é"}`)

      const accepted = await post(formatPath(ref, {}), good)
      const refused = await post(formatPath(ref, {}), Buffer.from(good.toString(), 'latin1'))

      assert.equal(accepted.status, 200)
      assert.equal(refused.status, 400)
      assert.deepEqual(refused.body, { error: 'the body must be UTF-8' })
    })
  }

  it('is refused where a member that is not known is there twice', async () => {
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
  it('serves both amounts as decimal text', async () => {
    const here = await provider()

    const answer = await ask(here, 'B2', { accounts: ['b1'] })

    assert.deepEqual(getRecords('B2', answer), [
      { accountId: 'b1', currentBalance: '10.00', availableBalance: '9.00' },
    ])
  })
})
