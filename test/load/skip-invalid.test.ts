import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { it } from 'node:test'
import { openLineSet } from '../../src/intake/line-set.ts'
import { createNdjsonSource } from '../../src/intake/lines.ts'
import { load } from '../../src/intake/load.ts'
import { createDatabase, openProviderWriter } from '../../src/storage/open.ts'
import { describe, describeOnce } from '../support/engines.ts'
import { openBank, splitLines } from './bank.ts'
import { line, put } from './lines.ts'

/** Loads the valid lines; returns the others. */
async function loadValid(database: string, lines: readonly string[], batch?: number) {
  await createDatabase(database)
  const loadTime = Temporal.Now.instant()
  const writer = await openProviderWriter(database, { loadTime, inBatches: batch !== undefined })
  const rejected = openLineSet()
  const open = () => Readable.from([Buffer.from(lines.map((each) => `${each}\n`).join(''))])
  try {
    await load([createNdjsonSource({ name: 'data', open })], writer, {
      skipInvalid: true,
      ...(batch !== undefined && { batch }),
      onError: (error) => error.isStored || rejected.add(error),
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

  const rejected = [invalidCustomer, invalidAccount, put.energyAccount('a1', ['c1'])]

  for (const batch of [undefined, 1, 4]) {
    it(`commits the others, and hides what depends on them, in batches of ${batch}`, async (t) => {
      const bank = await openBank(t)

      const found = await loadValid(bank.database(), lines, batch)

      assert.deepEqual(
        found,
        lines.filter((each) => rejected.includes(each)),
      )
      const visible = splitLines(await bank.dump()).filter((each) => !each.includes('"unresolved"'))
      assert.deepEqual(
        visible.sort(),
        [...valid, put.balance('a3'), put.transaction('a3', 't3')].sort(),
      )
    })
  }

  it('writes the others to a file, which completes the data once they are corrected', async (t) => {
    const bank = await openBank(t)
    const file = bank.path('rejects.ndjson')
    const own = lines.filter((each) => !each.includes('"energy.account"') && !each.includes('i1'))

    const run = await bank.load(own, '--skip-invalid', '--rejects', file)
    const content = readFileSync(file, 'utf8')
    const corrected = content.replace('AJAR', 'OPEN').replace(invalidCustomer, put.customer('c2'))
    await bank.fill(corrected)

    assert.equal(run.status, 1)
    assert.match(run.stderr, /The valid lines were committed\. 2 lines rejected: see /)
    assert.match(
      run.stderr,
      /^3 lines refer to accounts or customers that do not exist \(first at data\.ndjson:1\)/m,
    )
    assert.deepEqual(splitLines(content), [invalidCustomer, invalidAccount])
    assert.deepEqual(
      splitLines(await bank.dump()).sort(),
      [...own.filter((each) => !rejected.includes(each)), ...splitLines(corrected)].sort(),
    )
  })
})

describeOnce('the file of rejected lines', () => {
  const rejectTo = (file: string) => ['--skip-invalid', '--rejects', file]

  it('has the header and the rows of a table, each once and byte for byte', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1'), put.account('a1', ['c1'])])
    const header = 'accountId,transactionId,status,amount,description'
    const invalid = ['a1,t2,LOST,x,"two\nlines"\r', 'a1,t3,POSTED,one,z']
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

  it('is never a file that is loaded, which it would overwrite', async (t) => {
    const bank = await openBank(t)
    const file = bank.path('data.ndjson')
    const written = [put.product('p1'), '{']
    bank.write('data.ndjson', written)
    symlinkSync('data.ndjson', bank.path('link.ndjson'))

    for (const [flag, ...flags] of [
      ['--rejects', ...rejectTo(file)],
      ['--rejects', ...rejectTo(bank.path('link.ndjson'))],
      ['--rejects', '--follow', ...rejectTo(file)],
      ['--errors', '--errors', file],
    ]) {
      const { status, stderr } = await bank.loadFiles(['data.ndjson'], ...flags)
      assert.equal(status, 2)
      assert.match(
        stderr,
        new RegExp(`^${flag} would overwrite (data|link)\\.ndjson, which is an input`),
      )
    }
    assert.deepEqual(splitLines(readFileSync(file, 'utf8')), written)
  })

  it('may be a device', async (t) => {
    const bank = await openBank(t)

    const { status, stderr } = await bank.load([put.product('p1'), '{'], ...rejectTo('/dev/null'))

    assert.equal(status, 1)
    assert.match(stderr, /1 line rejected: see \/dev\/null/)
  })

  it('leaves out lines of standard input that are too long, and says so', async (t) => {
    const bank = await openBank(t)
    const input = `${'x'.repeat(8 * 1024 * 1024 + 1)}\n{\n`

    const { stderr } = await bank.run(['load', '-', ...rejectTo('rejects')], { input })

    assert.match(stderr, /1 line rejected: see rejects, except for 1 line too long to copy/)
    assert.equal(readFileSync(bank.path('rejects'), 'utf8'), '{\n')
  })

  it('leaves no copy of standard input behind, however the load ends', async (t) => {
    const bank = await openBank(t)
    mkdirSync(bank.path('temporary'))

    const { status } = await bank.run(
      ['load', '-', ...rejectTo('rejects'), '--errors', 'missing/errors'],
      { input: '', environment: { TMPDIR: bank.path('temporary') } },
    )

    assert.equal(status, 2)
    assert.deepEqual(readdirSync(bank.path('temporary')), [])
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

describeOnce('an error after which a table cannot be read', () => {
  const header = 'accountId,transactionId,status,amount'
  const table = [header, 'a1,t1,PENDING,1.00', 'a1,t2,LOST,1.00', 'a1,"t3"x,PENDING,1.00']
  const rest = ['a1,t4,PENDING,1.00', 'a1,t5,PENDING,1.00']
  const flags = (...more: readonly string[]) => ['--type', 'banking.transaction', ...more]
  const unread = (line: number) =>
    `table.csv was not read from line ${line} on: correct it there, and load the same data again\n`

  it('changes nothing, whether invalid lines are skipped or not', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1'), put.account('a1', ['c1'])])
    const rejects = bank.path('rejects.csv')
    const invalidHeader = [header.replace('status', 'state'), ...rest]

    for (const [content, line] of [
      [[...table, ...rest], 4] as const,
      [invalidHeader, 1] as const,
    ]) {
      bank.write('table.csv', content)
      for (const more of [[], ['--skip-invalid', '--rejects', rejects]]) {
        const { status, stderr } = await bank.loadFiles(['table.csv'], ...flags(...more))
        assert.equal(status, 1)
        assert.match(stderr, / errors? in \d lines?\. Nothing was changed\.\n/)
        assert.ok(stderr.endsWith(unread(line)), stderr)
      }
    }
    assert.equal(readFileSync(rejects, 'utf8'), '')
    assert.equal(splitLines(await bank.dump()).length, 2)
  })

  it('ends a load in batches, which says what was committed', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1'), put.account('a1', ['c1'])])
    bank.write('table.csv', [...table, ...rest])
    bank.write('other.csv', [header, 'a1,t6,PENDING,1.00'])
    const load = () =>
      bank.loadFiles(
        ['table.csv', 'other.csv'],
        ...flags('--batch', '1', '--skip-invalid', '--rejects', bank.path('rejects')),
      )

    const first = await load()
    const committed = splitLines(await bank.dump())
    bank.write('table.csv', [header, ...table.slice(1, 2), ...rest])
    const second = await load()

    assert.equal(first.status, 1)
    assert.match(
      first.stderr,
      /^2 errors in 4 lines\. Committed: the batches of the first 2 lines, /m,
    )
    assert.ok(first.stderr.includes(unread(4)), first.stderr)
    assert.equal(committed.length, 3)
    assert.equal(second.status, 0)
    assert.equal(splitLines(await bank.dump()).length, 6)
  })
})

describeOnce('the folder of rejected rows', () => {
  const map = `export default (row, { file }) =>
    file.endsWith('customers.csv')
      ? { type: 'customer', record: { id: row.ID, name: row.NAME, email: row.MAIL } }
      : { type: 'banking.account', holders: [{ customerId: row.OWNER }], record: { accountId: row.NO } }
`

  it('has a file for each input with rejected rows, which loads once it is corrected', async (t) => {
    const bank = await openBank(t)
    bank.write('map.mjs', map)
    bank.write('customers.csv', [
      'ID,NAME,MAIL',
      'c1,Ana,a@b.example',
      'c2,Jo,',
      'c3,Kim,k@b.example',
    ])
    bank.write('accounts.csv', ['NO,OWNER', 'a1,c1', 'a2,c2', 'a3,c3'])
    bank.write('old-customers.csv', ['ID,NAME,MAIL', 'c4,Max,m@b.example'])
    const folder = bank.path('rejects')
    const names = ['customers.csv', 'accounts.csv', 'old-customers.csv']
    const mapped = ['--map', bank.path('map.mjs')]

    const run = await bank.loadFiles(names, ...mapped, '--skip-invalid', '--rejects', folder)
    const rejected = readdirSync(folder).map((name) => [
      name,
      readFileSync(bank.path(`rejects/${name}`), 'utf8'),
    ])
    writeFileSync(bank.path('rejects/customers.csv'), 'ID,NAME,MAIL\nc2,Jo,jo@b.example\n')
    const again = await bank.loadFiles(['rejects/customers.csv'], ...mapped)

    assert.equal(run.status, 1)
    assert.match(run.stderr, /The valid lines were committed\. 1 line rejected: see rejects\.\n/)
    assert.deepEqual(Object.fromEntries(rejected), {
      'customers.csv': 'ID,NAME,MAIL\nc2,Jo,\n',
    })
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    assert.deepEqual({ status: again.status, stderr: again.stderr }, { status: 0, stderr: '' })
    assert.equal(splitLines(await bank.dump()).length, 7)
  })

  it('never overwrites an input', async (t) => {
    const bank = await openBank(t)
    const content = 'NO,OWNER\na1,c1\n'
    bank.write('map.mjs', map)
    bank.write('accounts.csv', content)
    bank.write('more-accounts.csv', content)
    const load = (names: readonly string[], rejects: string) =>
      bank.loadFiles(
        names,
        ...['--map', bank.path('map.mjs'), '--skip-invalid', '--rejects', bank.path(rejects)],
      )

    const one = await load(['accounts.csv'], 'accounts.csv')
    const several = await load(['accounts.csv', 'more-accounts.csv'], '.')
    const twice = await load(['accounts.csv', 'accounts.csv'], 'rejects')

    assert.deepEqual([one.status, several.status, twice.status], [2, 2, 2])
    for (const { stderr } of [one, several]) {
      assert.match(stderr, /--rejects would overwrite .*accounts\.csv, which is an input/)
    }
    assert.match(twice.stderr, /--rejects cannot have two files with the name accounts\.csv/)
    assert.equal(readFileSync(bank.path('accounts.csv'), 'utf8'), content)
  })
})
