import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { holdfastProgram, run, runInProcess } from '../support/process.ts'
import { openBank } from './bank.ts'
import { put } from './lines.ts'
import { openWithAccount, propose, proposeAndLoad, records, runShown } from './proposed-map.ts'

describeOnce('holdfast map init', { concurrency: 2 }, () => {
  it('proposes transactions with Australian dates, semicolons, a byte order mark and decimal commas', async (t) => {
    const bank = await openWithAccount(t)
    bank.write('export.csv', [
      '\ufeffAcct No;Txn ID;Post Date;Narrative;Amount;Branch',
      'a1;t1;31/10/2026 09:30;"Bakery; corner";-1.234,50;7',
      'a1;t2;1/7/2026 10:00;;20,00;7',
    ])

    const printed = await proposeAndLoad(bank, 'export.csv')

    assert.match(printed, /UTF-8 with a byte order mark, separated by ";", 6 columns, 2 rows read/)
    assert.match(printed, /record type: banking\.transaction/)
    assert.match(printed, /Post Date +postingDateTime +day, month, year, in Australia\/Sydney/)
    assert.match(printed, /Branch +not used/)
    assert.deepEqual(await records(bank, 'banking.transaction'), [
      {
        accountId: 'a1',
        transactionId: 't2',
        postingDateTime: '2026-07-01T00:00:00Z',
        amount: '20.00',
        status: 'POSTED',
      },
      {
        accountId: 'a1',
        transactionId: 't1',
        postingDateTime: '2026-10-30T22:30:00Z',
        amount: '-1234.50',
        description: 'Bakery; corner',
        status: 'POSTED',
      },
    ])
  })

  it('converts Windows-1252, and joins the names of a customer', async (t) => {
    const bank = await openBank(t)
    const text =
      'CUST_NO,FIRST_NAME,SURNAME,EMAIL,SUBURB\r\nc1,Zoë,Müller,zoe@example.com,Ballarat\r\n'
    writeFileSync(bank.path('kunden.csv'), Buffer.from(text, 'latin1'))

    const printed = await proposeAndLoad(bank, 'kunden.csv')

    assert.match(printed, /: Windows-1252, separated by ","/)
    const [customer] = await records(bank, 'customer')
    assert.deepEqual(customer, {
      id: 'c1',
      givenName: 'Zoë',
      familyName: 'Müller',
      email: 'zoe@example.com',
      name: 'Zoë Müller',
      address: { locality: 'Ballarat' },
    })
  })

  it('proposes accounts with holders, and balances in brackets with a tab between cells', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1')])
    bank.write('accounts.tsv', ['accountId\tcustomer no\tOPEN_DT', 'a1\tc1\t20150131'])
    bank.write('balances.txt', [
      'ACCT|LEDGER_BAL|AVAIL_BAL',
      'a1|($1,500.25)|0.00',
      'a1|12 DR|7 CR',
    ])

    await proposeAndLoad(bank, 'accounts.tsv')
    const [account] = await records(bank, 'banking.account')
    assert.equal(account?.['creationDate'], '2015-01-30T13:00:00Z')

    const balances = ['--output', bank.path('balances.ts')]
    const printed = await proposeAndLoad(bank, 'balances.txt', ...balances)
    assert.match(printed, /--format csv --delimiter '\|'/)
    assert.deepEqual(await records(bank, 'banking.balance'), [
      { accountId: 'a1', currentBalance: '-12', availableBalance: '7' },
    ])
  })

  it('takes the credit where the debit is zero, and years of two digits from 1970 to 2069', async (t) => {
    const bank = await openWithAccount(t)
    bank.write('t.csv', [
      'account,id,date,debit,credit',
      'a1,t1,31/12/98,0.00,500.00',
      'a1,t2,31/12/26,12.50,0.00',
      'a1,t3,31/12/69,0.00,0.00',
    ])

    await proposeAndLoad(bank, 't.csv')

    const loaded = await records(bank, 'banking.transaction')
    assert.deepEqual(
      loaded.map(({ amount, postingDateTime }) => [postingDateTime, amount]).sort(),
      [
        ['1998-12-30T13:00:00Z', '500.00'],
        ['2026-12-30T13:00:00Z', '-12.50'],
        ['2069-12-30T13:00:00Z', '0.00'],
      ],
    )
  })

  it('prints a dry run that works for any name of a file, and escapes names in aligned columns', async (t) => {
    const bank = await openBank(t)
    const name = `-it's $(exit 3).csv`
    bank.write(name, ['id,name,__proto__,constructor,"\u001b[2Jcleared"', 'c1,Ana,x,y,z'])
    const init = ['map', 'init', '--output', '-map.ts', '--', name]

    const { stdout } = await run([process.execPath, holdfastProgram, ...init], { cwd: bank.folder })

    assert.match(
      stdout,
      /^ {2}__proto__ +not used\n {2}constructor +not used\n {2}\\u001b\[2Jcleared +not/m,
    )
    const widths = [...stdout.matchAll(/^ {2}\S+ +(?=name$|not used)/gm)].map(
      ([text]) => text.length,
    )
    assert.equal(widths.length, 4)
    assert.equal(new Set(widths).size, 1)
    await runShown(bank, stdout)
    assert.deepEqual(await records(bank, 'customer'), [{ id: 'c1', name: 'Ana' }])
  })

  it('reads debits and credits, and times with a zone, with the name of a month, or of the United States', async (t) => {
    for (const [time, expected, description] of [
      ['2026-10-31T09:30:00+11:00', '2026-10-31T09:30:00+11:00', 'ISO 8601 with a zone'],
      ['31-Oct-26', '2026-10-30T13:00:00Z', 'day, name of the month, year'],
      ['10/31/2026', '2026-10-30T13:00:00Z', 'month, day, year'],
      ['10/11/2026', '2026-11-09T13:00:00Z', 'day, month, year (verify day and month)'],
    ] as const) {
      const bank = await openWithAccount(t)
      bank.write('t.csv', [
        'account,id,date,debit,credit',
        `a1,t1,${time},5.00,`,
        `a1,t2,${time},,7.00`,
      ])

      const printed = await proposeAndLoad(bank, 't.csv')

      assert.ok(printed.includes(description), printed)
      const loaded = await records(bank, 'banking.transaction')
      assert.deepEqual(
        loaded.map(({ amount, postingDateTime }) => [amount, postingDateTime]).sort(),
        [
          ['-5.00', expected],
          ['7.00', expected],
        ],
      )
    }
  })

  it('writes no value, and names of columns only as texts', async (t) => {
    const bank = await openBank(t)
    const name = `It's "x" \${process.exit(3)} */ \u202e\\`
    bank.write('c.csv', [`id,name,"${name.replaceAll('"', '""')}"`, 'c1,Secretperson,5'])

    const printed = await proposeAndLoad(bank, 'c.csv')

    const map = readFileSync(bank.path('map.ts'), 'utf8')
    assert.ok(!/Secretperson|\u202e/.test(map + printed))
    assert.deepEqual(await records(bank, 'customer'), [{ id: 'c1', name: 'Secretperson' }])
  })

  it('takes long values neither for times nor for amounts, in linear time', async (t) => {
    const bank = await openBank(t)
    const spaces = ' '.repeat(100_000)
    bank.write('t.csv', ['account,id,date,amount', `a1,t1,1${spaces}x,-${spaces}x`])

    const { stdout } = await propose(bank, 't.csv')

    assert.match(
      stdout,
      /^ {2}date +postingDateTime +format not recognised: write the conversion$/m,
    )
    assert.match(stdout, /^ {2}amount +amount +format not recognised$/m)
  })

  it('names required fields without a column, and fails the load of such a mapping', async (t) => {
    const bank = await openBank(t)
    bank.write('t.csv', ['account,date,amount', 'a1,1/2/2026,5.00'])

    const { stdout } = await propose(bank, 't.csv')

    assert.match(stdout, /No column was recognised for: transactionId\./)
    assert.match(stdout, /^transactionId: .* write an expression of cells that never change/m)
    assert.match(readFileSync(bank.path('map.ts'), 'utf8'), /\/\/ transactionId: no column/)
    const { status, stderr } = await runInProcess([
      ...['load', '--dry-run', '--map', bank.path('map.ts'), bank.path('t.csv')],
      ...['--database', bank.database()],
    ])
    assert.equal(status, 1)
    assert.match(stderr, /transactionId: is required/)
  })

  it('takes a delimiter of tables that is one punctuation character', async (t) => {
    const bank = await openBank(t)
    bank.write('c.csv', ['id name', 'c1 Ana'])
    bank.write('c.ndjson', [put.customer('c1')])
    const load = (file: string, delimiter: string) =>
      runInProcess(
        ['load', '--dry-run', '--type', 'customer', '--delimiter', delimiter, bank.path(file)],
        { HOLDFAST_DATABASE: bank.database() },
      )

    assert.equal((await load('c.csv', ' ')).status, 0)
    for (const wrong of ['', ';;', '"', 'a', '\n', 'ü']) {
      const { status, stderr } = await load('c.csv', wrong)
      assert.equal(status, 2)
      assert.match(stderr, /--delimiter must be one punctuation character, or tab/)
    }
    assert.match(
      (await load('c.ndjson', ';')).stderr,
      /--delimiter is for tables|--type is for tables/,
    )
    const { stdout } = await propose(bank, 'c.csv', '--delimiter', ' ')
    assert.match(stdout, /separated by " ", 2 columns/)
  })

  it('replaces no file', async (t) => {
    const bank = await openBank(t)
    bank.write('c.csv', ['id,name', 'c1,Ana'])
    bank.write('map.ts', ['mine'])

    const { status, stderr } = await propose(bank, 'c.csv')

    assert.equal(status, 1)
    assert.match(stderr, /map\.ts already exists: choose another file with --output/)
    assert.equal(readFileSync(bank.path('map.ts'), 'utf8').trim(), 'mine')
  })

  for (const [name, content, problem] of [
    ['one column', Buffer.from('id\n1\n'), /has no header with several columns/],
    ['unknown columns', Buffer.from('x,y\n1,2\n'), /Name the record type with --type/],
    ['UTF-16', Buffer.from('\ufeffid,name\n', 'utf16le'), /is UTF-16: convert it to UTF-8/],
    ['nothing', Buffer.alloc(0), /is empty/],
    ['NUL bytes', Buffer.from('id,name\n1,\0\n'), /is not text: it contains NUL bytes/],
    ['one long line', Buffer.alloc(300_000, 'x'), /has no complete line/],
    ['a repeated column', Buffer.from('id,id\n1,2\n'), /invalid header: column 2 has the name/],
    ['5,001 columns', Buffer.from(`${','.repeat(5000)}\n`), /invalid header: .* at most 5000/],
  ] as const) {
    it(`rejects a file with ${name}, and writes nothing`, async (t) => {
      const bank = await openBank(t)
      writeFileSync(bank.path('data.csv'), content)

      const { status, stdout, stderr } = await propose(bank, 'data.csv')

      assert.deepEqual([status, stdout], [1, ''])
      assert.match(stderr, problem)
      assert.throws(() => readFileSync(bank.path('map.ts')), { code: 'ENOENT' })
    })
  }
})
