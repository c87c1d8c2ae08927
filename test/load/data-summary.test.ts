import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { runInProcess } from '../support/process.ts'
import { type Bank, openBank } from './bank.ts'
import { put } from './lines.ts'

const summarize = (bank: Bank, ...flags: readonly string[]) =>
  runInProcess(['data', 'summary', '--database', bank.database(), ...flags])

const posted = (accountId: string, id: string, postingDateTime: string) =>
  put.transaction(accountId, id, { postingDateTime })

const lines = [
  put.customer('c1'),
  put.customer('c2'),
  put.account('a1', ['c1']),
  put.balance('a1'),
  put.contact('a1'),
  put.account('a2', ['c1', 'c2']),
  posted('a1', 't1', '2026-03-01T09:30:00+11:00'),
  posted('a2', 't1', '2024-02-29T12:00:00Z'),
  posted('a2', 't2', '2026-01-31T23:59:59Z'),
  posted('a2', 't3', '2026-02-01T00:00:00Z'),
  put.payment('a1', 's1'),
  put.energyAccount('e1', ['c2']),
  put.invoice('e1', 'i1', { issueDate: '2025-12-31' }),
  put.invoice('e1', 'i2', { issueDate: '2026-06-30' }),
  put.product('p1'),
]

describe('holdfast data summary', { concurrency: 2 }, () => {
  it('counts each type, with first and last day, and the longest list of an account', async (t) => {
    const bank = await openBank(t)
    await bank.fill(lines)

    const { status, stdout, stderr } = await summarize(bank)

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    assert.deepEqual(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/).join('|'))
        .sort(),
      [
        '2 accounts have no contact record: a request for their contact is a 404',
        'The days of banking transactions are in UTC.',
        '1 bank account has no balance: B2 and C4 reject requests for it',
        '|records|oldest|newest|largest list',
        'account.contact|1',
        'banking.account|2',
        'banking.balance|1',
        'banking.scheduledPayment|1|1 (a1)',
        'banking.transaction|4|2024-02-29|2026-02-28|3 (a2)',
        'customer|2',
        'energy.account|1',
        'energy.invoice|2|2025-12-31|2026-06-30|2 (e1)',
        'product|1',
      ].sort(),
    )
  })

  it('prints JSON, and counts what is not served apart', async (t) => {
    const bank = await openBank(t)
    await bank.load([...lines, posted('a9', 't1', '2020-01-01T00:00:00Z')], '--batch', '100')

    const { stdout } = await summarize(bank, '--json')

    const { types, unresolved, accountsWithoutBalance } = JSON.parse(stdout)
    assert.equal(unresolved, 1)
    assert.deepEqual(accountsWithoutBalance.examples.ids, ['a2'])
    assert.deepEqual(
      types.find(({ type }: { type: string }) => type === 'banking.transaction'),
      {
        type: 'banking.transaction',
        records: 4,
        oldest: '2024-02-29',
        newest: '2026-02-28',
        largest: { accountId: 'a2', records: 3 },
      },
    )
  })

  it('says that a database is empty, and creates none', async (t) => {
    const bank = await openBank(t)
    const none = `sqlite:${bank.path('none.db')}`
    await bank.fill([])

    assert.equal((await summarize(bank)).stdout, 'The database is empty.\n')
    assert.equal((await runInProcess(['data', 'summary', '--database', none])).status, 1)
  })
})
