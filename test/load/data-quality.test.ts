import assert from 'node:assert/strict'
import { it } from 'node:test'
import { generateLines } from '../../src/generate/index.ts'
import { describe, describeOn, describeOnce } from '../support/engines.ts'
import { openBank, splitLines } from './bank.ts'
import { put, removal } from './lines.ts'

const withoutBalance = /^(\d+) bank accounts? ha(?:s|ve) no balance: B2 and C4 reject requests/m
const withoutContact = /^(\d+) accounts? ha(?:s|ve) no contact record: /m
const fewUsers = /^(\d+) accounts? lists? fewer users than (?:it has|they have) holders: /m

const count = (stdout: string, pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? 0)
const gaps = (stdout: string) => [count(stdout, withoutBalance), count(stdout, withoutContact)]

/** An account that misses nothing. */
const complete = (id: string) => [put.account(id, ['c1']), put.balance(id), put.contact(id)]

describe('a load of accounts without a balance or a contact', { concurrency: 2 }, () => {
  it('reports their numbers, as they are after the load', async (t) => {
    const bank = await openBank(t)
    const lines = [
      put.balance('a1'),
      put.customer('c1'),
      put.account('a1', ['c1']),
      put.account('a2', ['c1']),
      put.account('a3', ['c1']),
      put.energyAccount('e1', ['c1']),
      put.contact('a3'),
      put.contact('a2'),
      put.balance('a3'),
      removal('banking.balance', { accountId: 'a3' }),
    ]

    const { status, stdout } = await bank.load(lines)

    assert.equal(status, 0)
    assert.deepEqual(gaps(stdout), [2, 2])
    assert.match(stdout, /^2 bank accounts have no balance: B2 and C4 reject requests for them$/m)
    assert.deepEqual(gaps((await bank.load(lines)).stdout), [2, 2])
  })

  it('counts only accounts that the load puts, or deletes a balance or a contact of', async (t) => {
    const bank = await openBank(t)
    const rest = ['a2', 'a3', 'a4'].map((id) => put.account(id, ['c1']))
    await bank.fill([put.customer('c1'), ...complete('a1'), ...rest])

    const added = await bank.load([put.transaction('a2', 't1'), put.balance('a2')])
    const removed = await bank.load([removal('account.contact', { accountId: 'a1' })])
    const deleted = await bank.load([removal('banking.account', { accountId: 'a3' })])

    assert.deepEqual(gaps(added.stdout), [0, 0])
    assert.deepEqual(gaps(removed.stdout), [0, 1])
    assert.deepEqual(gaps(deleted.stdout), [0, 0])
  })

  it('counts a balance that was deleted with its account', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1'), ...complete('a1')])

    const { stdout } = await bank.load([
      removal('banking.account', { accountId: 'a1' }),
      put.account('a1', ['c1']),
    ])

    assert.deepEqual(gaps(stdout), [1, 1])
  })

  it('counts accounts of all batches, as they are after the last one', async (t) => {
    const bank = await openBank(t)
    const late = [put.balance('a1'), put.contact('a1'), put.contact('a2')]
    const accounts = [put.account('a1', ['c1']), put.account('a2', ['c1'])]

    const { stdout } = await bank.load([put.customer('c1'), ...accounts, ...late], '--batch', '2')

    assert.deepEqual(gaps(stdout), [1, 0])
  })

  it('does not count accounts of a batch that was not committed', async (t) => {
    const bank = await openBank(t)
    const lines = [
      put.customer('c1'),
      put.account('a1', ['c1']),
      put.account('a2', ['c1']),
      '{}',
      ...[put.transaction('a1', 't1'), put.transaction('a1', 't2')],
    ]

    const { status, stderr } = await bank.load(lines, '--batch', '2')

    assert.equal(status, 1)
    assert.deepEqual(gaps(stderr), [1, 1])
  })

  it('counts them in a dry run, and with --skip-invalid', async (t) => {
    const bank = await openBank(t)
    const lines = [put.account('a1', ['c1'])]
    await bank.fill([put.customer('c1')])

    const dry = await bank.load(lines, '--dry-run')
    const skipped = await bank.load([...lines, '{}'], '--skip-invalid', '--rejects', '/dev/null')

    assert.deepEqual(gaps(dry.stdout), [1, 1])
    assert.deepEqual(gaps(skipped.stderr), [1, 1])
  })

  it('rejects them with --strict, and changes nothing', async (t) => {
    const bank = await openBank(t)
    const lines = [put.customer('c1'), put.account('a1', ['c1']), put.balance('a1')]
    await bank.fill([put.product('p1')])
    const before = await bank.dump()

    const rejected = await bank.load(lines, '--strict')
    const after = await bank.dump()
    const accepted = await bank.load([...lines, put.contact('a1')], '--strict')

    assert.equal(rejected.status, 1)
    assert.match(
      rejected.stderr,
      /^Rejected because of warnings, in 3 lines\. Nothing was changed\.$/m,
    )
    assert.deepEqual(gaps(rejected.stderr), [0, 1])
    assert.equal(after, before)
    assert.equal(accepted.status, 0, accepted.stderr)
    assert.equal(splitLines(await bank.dump()).length, 5)
  })

  it('finds nothing in generated data', async (t) => {
    const bank = await openBank(t)
    const until = '2026-03-01T09:30:00+11:00'
    const lines = [...generateLines({ customers: 40, seed: 9, until, transactions: 20 })]

    const { status, stdout, stderr } = await bank.load(lines, '--strict')

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    assert.doesNotMatch(stdout, /no balance|no contact|fewer users|Consumer Data Standards/)
  })
})

/** PostgreSQL counts them in one statement. */
describeOn('sqlite', 'a load of many accounts without a balance', () => {
  it('counts more accounts than are read at a time', async (t) => {
    const bank = await openBank(t)
    const accounts = Array.from({ length: 1001 }, (_, index) => `a${index}`)
    const lines = accounts.map((id) => put.account(id, ['c1'], { fees: [], depositRates: [] }))

    const { stdout } = await bank.load([put.customer('c1'), ...lines, put.balance('a7')])

    assert.match(stdout, /^1,000 bank accounts have no balance/m)
  })
})

describeOnce('a load of records that are incomplete for others', () => {
  const [customer, account, balance, contact] = [put.customer('c1'), ...complete('a1')]
  const base = [customer, account ?? '', balance ?? '', contact ?? '']

  for (const type of ['account', 'energyAccount'] as const) {
    it(`reports lines of the type ${type} with fewer users than holders`, async (t) => {
      const bank = await openBank(t)
      const users = [{ id: type === 'account' ? 1 : 'u1' }]
      const more = [put.customer('c2'), put[type]('a2', ['c1', 'c2'], { users })]

      const { stdout } = await bank.load([...base, ...more, put[type]('a3', ['c1'], { users })])

      assert.equal(count(stdout, fewUsers), 1)
    })
  }

  it('reports what the data standards do not allow, by field', async (t) => {
    const bank = await openBank(t)
    const untimed = { postingDateTime: undefined }
    const lines = [
      put.transaction('a1', 't1', untimed),
      put.transaction('a1', 't2', untimed),
      put.balance('a1', { currency: 'dollars' }),
      put.account('a2', ['c1'], { maskedNumber: '12345678', productCategory: undefined }),
    ]

    const { stdout } = await bank.load([...base, ...lines])

    assert.deepEqual(stdout.slice(stdout.indexOf('The Consumer')).trimEnd().split('\n'), [
      'The Consumer Data Standards do not allow some records: a platform cannot pass them on unchanged',
      '2 × banking.transaction: postingDateTime is required when status is POSTED',
      '1 × banking.balance: currency must be a currency code of ISO 4217',
      '1 × banking.account: maskedNumber must have an x for each digit except the last four',
      '1 × banking.account: productCategory is required',
    ])
  })

  for (const [what, lines] of [
    ['fewer users than holders', [put.customer('c2'), put.account('a1', ['c1', 'c2'])]],
    ['a fault for the data standards', [put.balance('a1', { currency: 'dollars' })]],
    ['a customer without an e-mail address', [put.customer('c2', { email: undefined })]],
  ] as const) {
    it(`rejects ${what} with --strict, also in a dry run`, async (t) => {
      const bank = await openBank(t)
      await bank.fill([put.product('p1')])
      const before = await bank.dump()

      const run = await bank.load([...base, ...lines], '--strict')
      const dry = await bank.load([...base, ...lines], '--strict', '--dry-run')

      assert.deepEqual([run.status, dry.status], [1, 1])
      assert.match(run.stderr, /^Rejected because of warnings/m)
      assert.equal(await bank.dump(), before)
    })
  }

  it('accepts fields that are dropped on request with --strict', async (t) => {
    const bank = await openBank(t)
    const balance = put.balance('a1', { purpose: 'x' })

    const { status } = await bank.load([...base, balance], '--strict', '--unknown-fields', 'drop')

    assert.equal(status, 0)
  })

  for (const flags of [['--batch', '5'], ['--follow'], ['--skip-invalid', '--rejects', 'r']]) {
    it(`does not accept --strict with ${flags[0]}`, async (t) => {
      const bank = await openBank(t)

      const { status, stderr } = await bank.load(base, '--strict', ...flags)

      assert.equal(status, 2)
      assert.match(stderr, /^--strict rejects a load as a whole: it cannot be used with/)
    })
  }
})
