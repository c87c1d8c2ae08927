import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { it } from 'node:test'
import { createNdjsonSource } from '../../src/load/lines.ts'
import { load } from '../../src/load/load.ts'
import { openRejectedLines } from '../../src/load/rejected-lines.ts'
import { createDatabase, openProviderWriter } from '../../src/storage/open.ts'
import { describe, describeOnce } from '../support/engines.ts'
import { openBank, splitLines } from './bank.ts'
import { line, put } from './lines.ts'

/** Loads the valid lines; returns the others. */
async function loadValid(database: string, lines: readonly string[], batch?: number) {
  await createDatabase(database)
  const loadTime = Temporal.Now.instant()
  const writer = await openProviderWriter(database, { loadTime, inBatches: true })
  const rejected = openRejectedLines()
  const open = () => Readable.from([Buffer.from(lines.map((each) => `${each}\n`).join(''))])
  try {
    await load([createNdjsonSource({ name: 'data', open })], writer, {
      skipInvalid: true,
      ...(batch !== undefined && { batch }),
      onError: (error) => rejected.add(error),
    })
  } finally {
    await writer.close()
  }
  return lines.filter((_, index) => rejected.has({ file: 0, line: index + 1 }))
}

describe('a load that skips invalid lines', () => {
  const invalidCustomer = line('customer', { id: 'c2' })
  const invalidAccount = put.account('a2', ['c1'], { openStatus: 'AJAR' })
  const valid = [
    put.customer('c1'),
    put.account('a1', ['c1']),
    put.balance('a1'),
    put.transaction('a1', 't1'),
  ]
  const dependent = [
    put.balance('a2'),
    put.transaction('a2', 't2'),
    put.account('a3', ['c2']),
    put.balance('a3'),
    put.transaction('a3', 't3'),
    put.energyAccount('a1', ['c1']),
    put.invoice('a1', 'i1'),
  ]
  const lines = [
    ...dependent.slice(0, 3),
    invalidCustomer,
    ...valid,
    invalidAccount,
    ...dependent.slice(3),
  ]

  for (const batch of [undefined, 1, 4]) {
    it(`commits the others, and rejects what depends on them, in batches of ${batch}`, async (t) => {
      const bank = await openBank(t)

      const rejected = await loadValid(bank.database(), lines, batch)

      assert.deepEqual(
        rejected,
        lines.filter((each) => !valid.includes(each)),
      )
      assert.deepEqual(splitLines(await bank.dump()).sort(), valid.toSorted())
    })
  }

  it('writes the others to a file, which loads once they are corrected', async (t) => {
    const bank = await openBank(t)
    const file = bank.path('rejects.ndjson')
    const own = lines.filter((each) => !each.includes('"energy.account"') && !each.includes('i1'))

    const run = await bank.load(own, '--skip-invalid', '--rejects', file)
    const rejected = readFileSync(file, 'utf8')
    const corrected = rejected.replace('AJAR', 'OPEN').replace(invalidCustomer, put.customer('c2'))
    await bank.fill(corrected)

    assert.equal(run.status, 1)
    assert.match(run.stderr, /The valid lines were committed\. 7 lines rejected: see /)
    assert.deepEqual(
      splitLines(rejected),
      own.filter((each) => !valid.includes(each)),
    )
    assert.deepEqual(
      splitLines(await bank.dump()).sort(),
      [...valid, ...splitLines(corrected)].sort(),
    )
  })
})

describeOnce('the file of rejected lines', () => {
  const rejectTo = (file: string) => ['--skip-invalid', '--rejects', file]

  it('has the header and the rows of a table, each once and byte for byte', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1'), put.account('a1', ['c1'])])
    const header = 'accountId,transactionId,status,amount,description'
    const invalid = ['a1,t2,LOST,x,"two\nlines"\r', 'a9,t3,POSTED,1.00,z']
    bank.write('table.csv', [header, 'a1,t1,PENDING,1.00,x', ...invalid, 'a1,t4,PENDING,1.00,y'])
    const file = bank.path('rejects.csv')

    const { status } = await bank.loadFiles(
      ['table.csv'],
      ...['--type', 'banking.transaction', ...rejectTo(file)],
    )

    assert.equal(status, 1)
    assert.equal(readFileSync(file, 'utf8'), `${[header, ...invalid].join('\n')}\n`)
    assert.equal(statSync(file).mode & 0o777, 0o600)
  })

  it('has the lines of standard input, and is empty if all are valid', async (t) => {
    const bank = await openBank(t)
    const invalid = '{"type":"customer",  "record":{"id":"c2"}}'
    const input = [put.product('p1'), invalid, put.product('p2')].join('\n')

    const some = await bank.run(['load', '-', ...rejectTo('some.ndjson')], { input })
    const none = await bank.run(['load', '-', ...rejectTo('none.ndjson')], {
      input: put.product('p3'),
    })

    assert.deepEqual([some.status, none.status], [1, 0])
    assert.equal(readFileSync(bank.path('some.ndjson'), 'utf8'), `${invalid}\n`)
    assert.equal(readFileSync(bank.path('none.ndjson'), 'utf8'), '')
    assert.equal(splitLines(await bank.dump()).length, 3)
  })

  it('requires --skip-invalid, and the reverse', async (t) => {
    const bank = await openBank(t)
    const message = '--skip-invalid and --rejects require each other\n'

    for (const flags of [['--skip-invalid'], ['--rejects', bank.path('rejects')]]) {
      const { status, stderr } = await bank.load([put.product('p1')], ...flags)
      assert.deepEqual({ status, stderr }, { status: 2, stderr: message })
    }
  })
})
