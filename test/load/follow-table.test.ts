import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, renameSync } from 'node:fs'
import { it } from 'node:test'
import { describeOnce, type Scope } from '../support/engines.ts'
import { until } from '../support/until.ts'
import { type Bank, openBank, splitLines } from './bank.ts'
import { readFeed, startFollower, toText, untilLines } from './follower.ts'
import { put } from './lines.ts'

const header = 'accountId,transactionId,status,amount,description'
const typed = ['--type', 'banking.transaction', '--feed', 'core']
const rejecting = ['--skip-invalid', '--rejects', 'rejects.csv']

/** A row that is valid unless the status is another one. */
function row(id: string, status = 'PENDING'): string {
  return `a1,${id},${status},1.00,"two\nlines, ${id}"`
}

async function openWithAccount(t: Scope): Promise<Bank> {
  const bank = await openBank(t)
  await bank.fill([put.customer('c1'), put.account('a1', ['c1'])])
  return bank
}

/** The identifiers and amounts of all transactions. */
async function listTransactions(bank: Bank): Promise<string[]> {
  return splitLines(await bank.dump())
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'banking.transaction')
    .map(({ record }) => `${record.transactionId} ${record.amount} ${record.description}`)
    .sort()
}

const expected = (...ids: readonly string[]) => ids.map((id) => `${id} 1.00 two\nlines, ${id}`)

describeOnce('a follower of a CSV file', () => {
  it('knows the header after a restart and reads that of each rotated file', async (t) => {
    const bank = await openWithAccount(t)
    const file = bank.path('data.csv')
    const append = (...rows: readonly string[]) => appendFileSync(file, toText(rows))
    append(header, row('t1'))

    const first = startFollower(bank, 'data.csv', ...typed, ...rejecting)
    await untilLines(bank, 1, first)
    append(row('t2'), row('x1', 'LOST'), row('t3'))
    await untilLines(bank, 3, first)
    await first.stop()
    append(row('x2', 'LOST'), row('t4'))
    const second = startFollower(bank, 'data.csv', ...typed, ...rejecting)
    await untilLines(bank, 4, second)
    renameSync(file, `${file}.1`)
    append(header, row('x3', 'LOST'), row('t5'))
    await untilLines(bank, 5, second)
    renameSync(`${file}.1`, `${file}.2`)
    renameSync(file, `${file}.1`)
    append('transactionId,accountId,description,amount,status', 't6,a1,other order,2.00,PENDING')
    await untilLines(bank, 6, second)
    await second.stop()

    assert.deepEqual(await listTransactions(bank), [
      ...expected('t1', 't2', 't3', 't4', 't5'),
      't6 2.00 other order',
    ])
    assert.equal(
      readFileSync(bank.path('rejects.csv'), 'utf8'),
      toText([header, row('x1', 'LOST'), row('x2', 'LOST'), row('x3', 'LOST')]),
    )
  })

  it('ends at a syntax error, also when it skips invalid rows, and continues there once it is corrected', async (t) => {
    const bank = await openWithAccount(t)
    bank.write('data.csv', [header, row('t1')])
    const first = startFollower(bank, 'data.csv', ...typed, ...rejecting)
    await untilLines(bank, 1, first)
    appendFileSync(bank.path('data.csv'), toText(['a1,t2,PENDING,1.00,"x"y', row('t3')]))

    assert.equal(await first.ended, 1)
    assert.match(
      first.stderr(),
      /data\.csv was not read from line 4 on\. Nothing of the batch was committed\. Correct it there and start again\.\n$/,
    )
    assert.equal(readFileSync(bank.path('rejects.csv'), 'utf8'), '')
    const text = readFileSync(bank.path('data.csv'), 'utf8')
    bank.write('data.csv', text.replace('a1,t2,PENDING,1.00,"x"y', row('t2')))
    const second = startFollower(bank, 'data.csv', ...typed, ...rejecting)
    await untilLines(bank, 3, second)
    await second.stop()
    assert.deepEqual(await listTransactions(bank), expected('t1', 't2', 't3'))
  })

  it('counts all lines of the rows before a restart', async (t) => {
    const bank = await openWithAccount(t)
    bank.write('data.csv', [header, '', row('t1')])
    const first = startFollower(bank, 'data.csv', ...typed)
    await untilLines(bank, 1, first)
    await first.stop()
    appendFileSync(bank.path('data.csv'), toText(['', row('x1', 'LOST')]))

    const second = startFollower(bank, 'data.csv', ...typed)

    assert.equal(await second.ended, 1)
    assert.match(second.stderr(), /^following data\.csv after line 4$/m)
    assert.match(second.stderr(), /\(at data\.csv:6\)/)
  })

  it('commits after the rows of a batch', async (t) => {
    const bank = await openWithAccount(t)
    const rows = Array.from({ length: 50 }, (_, index) => row(`t${index}`))
    bank.write('data.csv', [header, ...rows])

    const follower = startFollower(bank, 'data.csv', ...typed, '--batch', '5')
    await untilLines(bank, 50, follower)
    await follower.stop()

    assert.equal((await readFeed(bank))?.batch, 10)
  })

  it('does not mix rows of different headers in the rejects', async (t) => {
    const bank = await openWithAccount(t)
    bank.write('rejects.csv', ['transactionId,accountId', 'x1,a1'])
    bank.write('data.csv', [header, row('x2', 'LOST')])

    const follower = startFollower(bank, 'data.csv', ...typed, ...rejecting)

    assert.equal(await follower.ended, 1)
    assert.match(follower.stderr(), /rejects\.csv has another header than the rejected row/)
    assert.equal((await readFeed(bank))?.batch, 0)
  })
})

describeOnce('a follower of CSV on standard input', () => {
  it('skips rows that it has committed, and takes other rows with the same header for new input', async (t) => {
    const bank = await openWithAccount(t)
    const flags = ['--format', 'csv', '-', ...typed]
    const run = (...rows: readonly string[]) =>
      bank.run(['load', '--follow', ...flags], { input: toText([header, ...rows]) })

    const first = await run(row('t1'), row('t2'))
    const again = await run(row('t1'), row('t2'), row('t3'))
    const other = await run(row('t4'), row('t5'))

    assert.match(first.stdout, /^2 lines committed: 2 created/)
    assert.match(again.stderr, /continuing after line 5/)
    assert.match(again.stdout, /^1 line committed: 1 created/)
    assert.match(other.stderr, /the input is new/)
    assert.match(other.stdout, /^2 lines committed: 2 created/)
    assert.deepEqual(await listTransactions(bank), expected('t1', 't2', 't3', 't4', 't5'))
  })

  it('commits a complete row without waiting for the next', async (t) => {
    const bank = await openWithAccount(t)
    const follower = startFollower(bank, '-', '--format', 'csv', ...typed)
    await until(() => /following standard input/.test(follower.stderr()))

    follower.child.stdin.write(toText([header, row('t1')]))
    await untilLines(bank, 1, follower)
    follower.child.stdin.write(row('t2').slice(0, 10))

    assert.equal(await follower.stop(), 0)
    assert.match(follower.stdout(), /1 line committed: 1 created.* the last 10 bytes/)
  })
})
