import assert from 'node:assert/strict'
import { it } from 'node:test'
import { generateLines } from '../../src/generate/index.ts'
import { describe } from '../support/engines.ts'
import { runInProcess } from '../support/process.ts'
import { type Bank, openBank } from './bank.ts'
import { put, removal } from './lines.ts'

const checkData = (bank: Bank, ...flags: readonly string[]) =>
  runInProcess(['data', 'check', '--database', bank.database(), ...flags])

const complete = (id: string) => [put.account(id, ['c1']), put.balance(id), put.contact(id)]

describe('holdfast data check', { concurrency: 2 }, () => {
  it('finds nothing in generated data', async (t) => {
    const bank = await openBank(t)
    const until = '2026-03-01T09:30:00+11:00'
    await bank.fill([...generateLines({ customers: 20, seed: 4, until, transactions: 10 })])

    const { status, stdout, stderr } = await checkData(bank)

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    assert.match(stdout, /^[\d,]+ records checked: nothing found\n$/)
  })

  it('finds what is missing, with the ids of customers and accounts', async (t) => {
    const bank = await openBank(t)
    const users = [{ id: 1 }]
    await bank.fill([
      put.customer('c1'),
      put.customer('c2', { email: undefined }),
      ...complete('a1'),
      put.account('a2', ['c1', 'c2'], { users }),
      put.contact('a2'),
      put.account('a3', ['c1'], { productCategory: undefined }),
      put.balance('a3'),
      put.transaction('a3', 't1', { postingDateTime: undefined }),
      put.transaction('a3', 't2', { postingDateTime: undefined }),
      put.energyAccount('e1', ['c1']),
      put.product('p1'),
    ])

    const { status, stdout, stderr } = await checkData(bank)

    assert.equal(status, 1)
    assert.equal(stderr, '13 records checked: 6 findings\n')
    assert.deepEqual(stdout.trimEnd().split('\n'), [
      '1 customer has no e-mail address: the consent flow cannot find it',
      '  c2',
      '1 bank account has no balance: B2 and C4 reject requests for it',
      '  a2',
      '2 accounts have no contact record: a request for their contact is a 404',
      '  a3, e1',
      '1 account lists fewer users than it has holders: users must contain every holder of a joint account',
      '  a2',
      '2 × banking.transaction: postingDateTime is required when status is POSTED (Consumer Data Standards)',
      '  a3',
      '1 × banking.account: productCategory is required (Consumer Data Standards)',
      '  a3',
    ])
  })

  it('prints JSON with the first 20 ids of each finding', async (t) => {
    const bank = await openBank(t)
    const ids = Array.from({ length: 21 }, (_, index) => `a${10 + index}`)
    const accounts = ids.map((id) => put.account(id, ['c1'], { maskedNumber: '12345678' }))
    const rest = ids.flatMap((id) => [put.balance(id), put.contact(id)])
    const untimed = ids
      .slice(1)
      .map((id) => put.transaction(id, 't1', { postingDateTime: undefined }))
    await bank.fill([put.customer('c1'), ...accounts, ...rest, ...untimed])

    const { status, stdout } = await checkData(bank, '--json')

    assert.equal(status, 1)
    assert.deepEqual(JSON.parse(stdout), {
      records: 84,
      findings: [
        {
          finding: 'consumer-data-standards',
          type: 'banking.account',
          path: 'maskedNumber',
          reason: 'must have an x for each digit except the last four',
          text: '21 × banking.account: maskedNumber must have an x for each digit except the last four (Consumer Data Standards)',
          count: 21,
          examples: ids.slice(0, 20),
          hasMore: true,
        },
        {
          finding: 'consumer-data-standards',
          type: 'banking.transaction',
          path: 'postingDateTime',
          reason: 'is required when status is POSTED',
          text: '20 × banking.transaction: postingDateTime is required when status is POSTED (Consumer Data Standards)',
          count: 20,
          examples: ids.slice(1),
          hasMore: false,
        },
      ],
    })
  })

  it('ignores what is stored for accounts that do not exist', async (t) => {
    const bank = await openBank(t)
    const lines = [
      put.customer('c1'),
      ...complete('a1'),
      put.balance('a0', { currency: 'dollars' }),
      put.transaction('a2', 't1', { postingDateTime: undefined }),
      put.contact('a3'),
      put.energyAccount('a4', ['c1']),
      put.contact('a4'),
      put.balance('a4', { currency: 'dollars' }),
      put.account('a5', ['c1']),
      removal('banking.account', { accountId: 'a5' }),
    ]
    await bank.load(lines, '--batch', '100')

    const { status, stdout } = await checkData(bank)

    assert.equal(stdout, '10 records checked: nothing found\n')
    assert.equal(status, 0)
  })

  it('does not create a database', async (t) => {
    const bank = await openBank(t)

    const missing = `sqlite:${bank.path('none.db')}`
    const { status, stderr } = await runInProcess(['data', 'check', '--database', missing])

    assert.equal(status, 1)
    assert.match(stderr, /none\.db/)
  })
})
