import assert from 'node:assert/strict'
import { it } from 'node:test'
import { recordTypes } from '../../src/contract/index.ts'
import { listCorrections } from '../support/corrections.ts'
import { describe } from '../support/engines.ts'
import { commitOne, createBatch, openFeeds } from '../support/feed.ts'
import { openBank } from './bank.ts'
import { createExamples, exampleKeys, put, removal } from './lines.ts'

const correct = (line: string): string => `${line.slice(0, -1)},"correction":true}`

const first = '2026-01-05T00:00:00Z'
const second = '2026-02-05T00:00:00Z'
const paid = (amount: string, postingDateTime = first) =>
  put.transaction('a1', 't1', { amount, postingDateTime })
const owners = [
  put.customer('c1'),
  put.customer('c2'),
  put.account('a1', ['c1', 'c2'], { users: [{ id: 1 }] }),
]
const change = (customer: string, before: string, after: string) =>
  `${customer}|banking.transaction|a1|t1|changed|${Date.parse(before)}|${Date.parse(after)}`

describe('a line that is marked as a correction', () => {
  it('lists the changed record for each holder, with the time before and after', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...owners, paid('-1.00')])
    await bank.fill([correct(paid('-2.00', second))])
    const listed = await listCorrections(bank.database())
    assert.deepEqual(listed, [change('c1', first, second), change('c2', first, second)])
  })

  it('lists nothing for a new record, for the same record, and when the load is repeated', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...owners, correct(paid('-1.00'))])
    await bank.fill([correct(paid('-1.00'))])
    assert.deepEqual(await listCorrections(bank.database()), [])
    await bank.fill([correct(paid('-2.00'))])
    await bank.fill([correct(paid('-2.00'))])
    assert.equal((await listCorrections(bank.database())).length, 2)
  })

  it('lists a change with correction true alone', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...owners, paid('-1.00')])
    await bank.fill([paid('-2.00'), correct(paid('-3.00')).replace('true}', 'false}')])
    assert.deepEqual(await listCorrections(bank.database()), [])
  })

  it('lists the holders before the correction, not those that it adds', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...owners, put.account('a2', ['c1', 'c2'])])
    await bank.fill([correct(put.account('a2', ['c2', 'c3'])), put.customer('c3')])
    assert.deepEqual(await listCorrections(bank.database()), [
      // It lost the account.
      'c1|banking.account|a2||deleted||',
      'c2|banking.account|a2||changed||',
    ])
  })

  it('lists the day of an invoice, and the local time of a billing transaction', async (t) => {
    const bank = await openBank(t)
    const invoice = (issueDate: string) => put.invoice('e1', '7', { issueDate })
    const charge = (executionDateTime: string) => put.billing('e1', 'b1', { executionDateTime })
    const before = [invoice('2026-01-05'), charge('2026-01-05T23:30:00')]
    await bank.fill([put.customer('c1'), put.energyAccount('e1', ['c1']), ...before])
    const after = [invoice('2026-02-05'), charge('2026-02-05T23:30:00')]
    await bank.fill(after.map(correct))
    const list = (type: string, id: string, time: string) =>
      `c1|energy.${type}|e1|${id}|changed|${Date.parse(`2026-01-05${time}`)}|${Date.parse(`2026-02-05${time}`)}`
    assert.deepEqual(await listCorrections(bank.database()), [
      list('billing', 'b1', 'T23:30:00Z'),
      list('invoice', '7', ''),
    ])
  })

  it('compares what the commit changes, also if several lines are for one record', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...owners, paid('-1.00')])
    const lines = [correct(paid('-2.00')), paid('-3.00', second)]
    await bank.fill(lines)
    const listed = await listCorrections(bank.database())
    assert.deepEqual(listed, [change('c1', first, second), change('c2', first, second)])
    await bank.fill([correct(paid('-4.00')), paid('-3.00', second)])
    assert.deepEqual(await listCorrections(bank.database()), listed)
  })

  it('is listed for each type with data of customers, when it is changed and when it is deleted', async (t) => {
    const bank = await openBank(t)
    const lines = Object.entries(createExamples())
    await bank.fill(lines.map(([, line]) => line))
    const isListed = (type: string) => type !== 'restriction' && type !== 'product'
    // Records of an account before the account, which would delete them.
    const keys = Object.entries(exampleKeys)
      .toReversed()
      .filter(([type]) => isListed(type))
    for (const [type, key] of keys) {
      await bank.fill([correct(removal(type as keyof typeof recordTypes, key))])
    }
    const listed = await listCorrections(bank.database())
    const types = listed.map((each) => each.split('|')[1])
    assert.deepEqual(types.toSorted(), Object.keys(recordTypes).filter(isListed).toSorted())
    assert.ok(listed.every((each) => each.includes('|deleted|')))
    assert.ok(listed.some((each) => each.startsWith('c1|banking.directDebit|a1|d1|deleted|')))
  })

  it('has a boolean, and only data of customers', async (t) => {
    const bank = await openBank(t)
    const lines = [
      paid('-1.00').replace('{', '{"correction":"yes",'),
      correct(put.product('p1')),
      correct(put.restriction({ accountId: 'a1' })),
      correct(removal('product', { product_id: 'p1' })),
    ]
    bank.write('lines.ndjson', [...owners, ...lines])
    assert.deepEqual(await bank.listErrors(['lines.ndjson']), [
      'lines.ndjson:4: correction: must be true or false',
      'lines.ndjson:5: correction: is not a field of this record',
      'lines.ndjson:6: correction: is not a field of this record',
      'lines.ndjson:7: correction: is not a field of this record',
    ])
  })

  it('corrects nothing if it is rejected', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...owners, put.energyAccount('e1', ['c1'])])
    const lines = [
      correct(put.customer('c1', { name: 'Another Person', email: 'other@example.com' })),
      put.customer('c1', { phoneNumber: '+61491570110' }),
      correct(put.account('e1', ['c1'])),
      correct(put.transaction('a1', 't1', { amount: 1 })),
    ]
    const { status } = await bank.load(
      lines,
      '--skip-invalid',
      '--rejects',
      bank.path('rejects.ndjson'),
    )
    assert.equal(status, 1)
    assert.deepEqual(await listCorrections(bank.database()), [])
    assert.match(await bank.dump(), /491570110/)
  })

  it('is listed by each batch of a load', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...owners, paid('-1.00')])
    await bank.fill([correct(paid('-2.00')), correct(paid('-3.00', second))], '--batch', '1')
    assert.deepEqual(await listCorrections(bank.database()), [
      change('c1', first, first),
      change('c1', first, second),
      change('c2', first, first),
      change('c2', first, second),
    ])
  })

  it('is a column of a table', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...owners, paid('-1.00')])
    const table = `accountId,transactionId,status,amount,postingDateTime,correction
a1,t1,POSTED,-2.00,${first},true
`
    bank.write('rows.csv', table)
    const { status, stderr } = await bank.loadFiles(['rows.csv'], '--type', 'banking.transaction')
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    assert.equal((await listCorrections(bank.database())).length, 2)
  })

  it('is listed once by a batch of a feed that is repeated, and by batches together', async (t) => {
    const { writer, database, add } = await openFeeds(t)
    await add(...owners, paid('-1.00'), put.balance('a1', { currentBalance: '1.00' }))
    const batch = createBatch('core', 2, [correct(paid('-2.00'))])
    const other = createBatch('other', 1, [correct(put.balance('a1', { currentBalance: '2.00' }))])
    const outcomes = await writer.commit([batch, other])
    assert.ok(outcomes.every((outcome) => 'result' in outcome))
    await commitOne(writer, batch)
    const listed = [
      change('c1', first, first),
      'c1|banking.balance|a1||changed||',
      change('c2', first, first),
      'c2|banking.balance|a1||changed||',
    ].sort()
    assert.deepEqual(await listCorrections(database), listed)
    const third = createBatch('core', 3, [correct(paid('-3.00')), put.balance('missing')])
    assert.ok('errors' in (await commitOne(writer, third)))
    assert.deepEqual(await listCorrections(database), listed)
    await commitOne(writer, createBatch('core', 3, [correct(paid('-3.00'))]))
    assert.equal((await listCorrections(database)).length, 6)
  })
})
