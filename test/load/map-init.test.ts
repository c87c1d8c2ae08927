import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { it, type TestContext } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { holdfastProgram, run, runInProcess } from '../support/process.ts'
import { type Bank, openBank, splitLines } from './bank.ts'
import { put } from './lines.ts'

/** Proposes a mapping, runs the dry run that the command prints, and then the same load. */
async function proposeAndLoad(bank: Bank, file: string, ...flags: readonly string[]) {
  const proposed = await propose(bank, file, ...flags)
  assert.equal(proposed.status, 0, proposed.stderr)
  await runShown(bank, proposed.stdout)
  return proposed.stdout
}

/** Runs the dry run that a proposal shows, and then the same load. */
async function runShown(bank: Bank, proposal: string): Promise<void> {
  const dryRun = proposal.trimEnd().split('\n').at(-1)?.trim() ?? ''
  const shell = (command: string) =>
    run(
      ['bash', '-o', 'pipefail', '-c', `npx() { shift; "$NODE" "$LAUNCHER" "$@"; }\n${command}`],
      {
        cwd: bank.folder,
        environment: {
          PATH: process.env['PATH'],
          NODE: process.execPath,
          LAUNCHER: holdfastProgram,
          HOLDFAST_DATABASE: bank.database(),
        },
      },
    )
  const validated = await shell(dryRun)
  assert.equal(validated.status, 0, validated.stderr)
  assert.match(validated.stdout, /Nothing was changed/)
  const loaded = await shell(dryRun.replace(' --dry-run', ''))
  assert.equal(loaded.status, 0, loaded.stderr)
}

const propose = (bank: Bank, file: string, ...flags: readonly string[]) =>
  runInProcess(['map', 'init', bank.path(file), '--output', bank.path('map.ts'), ...flags])

const records = async (bank: Bank, type: string) =>
  splitLines(await bank.dump())
    .map((text) => JSON.parse(text) as { type: string; record: Record<string, unknown> })
    .filter((line) => line.type === type)
    .map(({ record }) => record)

async function openWithAccount(t: TestContext): Promise<Bank> {
  const bank = await openBank(t)
  await bank.fill([put.customer('c1'), put.account('a1', ['c1'])])
  return bank
}

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

  it('warns of accounts with several rows, whose holders a load would replace', async (t) => {
    const bank = await openBank(t)
    bank.write('a.csv', ['accountId,customerId', 'a1,c1', 'a1,c2', 'a2,c1'])

    const { stdout } = await propose(bank, 'a.csv')

    const warning =
      '1 row has the ID of an earlier one. Each replaces the holders of the one before'
    assert.ok(stdout.includes(`Warning: ${warning}`), stdout)
    assert.ok(readFileSync(bank.path('map.ts'), 'utf8').includes(`// ${warning}`))
  })

  it('takes status and type with the codes of the interface, and asks for a translation of others', async (t) => {
    const bank = await openWithAccount(t)
    bank.write('t.csv', [
      'accountId,transactionId,date,amount,type,status',
      'a1,t1,1/2/2026,-5.00,FEE,PENDING',
      'a1,t2,2/2/2026,-5.00,,POSTED',
    ])
    await proposeAndLoad(bank, 't.csv')
    const loaded = await records(bank, 'banking.transaction')
    assert.deepEqual(
      loaded.map(({ transactionId, status, type }) => [transactionId, status, type]).sort(),
      [
        ['t1', 'PENDING', 'FEE'],
        ['t2', 'POSTED', undefined],
      ],
    )

    bank.write('u.csv', ['accountId,id,date,amount,type,status', 'a1,t1,1/2/2026,-5.00,EFTPOS,P'])
    const output = ['--output', bank.path('codes.ts')]
    const { stdout } = await propose(bank, 'u.csv', ...output)
    assert.match(stdout, /^ {2}type +type +codes not recognised: translate them$/m)
    assert.match(stdout, /^ {2}status +status +codes not recognised: translate them$/m)
    const dryRun = ['load', '--dry-run', '--show-values', '--database', bank.database()]
    const { stderr } = await runInProcess([
      ...dryRun,
      ...['--map', bank.path('codes.ts'), bank.path('u.csv')],
    ])
    assert.match(
      stderr,
      /the mapping function failed at .*"?write the conversion of the column status/,
    )
  })

  it('reads times of twelve hours', async (t) => {
    const bank = await openWithAccount(t)
    bank.write('t.csv', [
      'accountId,id,date,amount',
      'a1,t1,31/10/2026 9:30:00 AM,1.00',
      'a1,t2,31/10/2026 9:30:00 pm,1.00',
      'a1,t3,31/10/2026 12:05 a.m.,1.00',
      'a1,t4,31/10/2026 12:05 PM,1.00',
    ])

    await proposeAndLoad(bank, 't.csv')

    const loaded = await records(bank, 'banking.transaction')
    assert.deepEqual(loaded.map((each) => each['postingDateTime']).sort(), [
      '2026-10-30T13:05:00Z',
      '2026-10-30T22:30:00Z',
      '2026-10-31T01:05:00Z',
      '2026-10-31T10:30:00Z',
    ])
  })

  it('rejects rows with times that it does not recognise, or that daylight saving time skips', async (t) => {
    for (const [time, printed, error] of [
      ['Saturday 9:30', /format not recognised: write the conversion/, /the column date/],
      ['04/10/2026 02:30', /day, month, year/, /the time does not exist/],
    ] as const) {
      const bank = await openWithAccount(t)
      bank.write('t.csv', ['accountId,id,date,amount', `a1,t1,${time},1.00`])

      const { stdout } = await propose(bank, 't.csv')

      assert.match(stdout, printed)
      const files = ['--map', bank.path('map.ts'), bank.path('t.csv')]
      const { status, stderr } = await runInProcess([
        ...['load', '--show-values', '--database', bank.database()],
        ...files,
      ])
      assert.equal(status, 1)
      assert.match(stderr, error)
    }
  })

  it('takes the point for a thousands separator where semicolons separate, and asks to verify it', async (t) => {
    const bank = await openWithAccount(t)
    bank.write('t.csv', ['accountId;id;date;amount', 'a1;t1;31/1/2026;1.234'])

    const printed = await proposeAndLoad(bank, 't.csv')

    assert.match(printed, /decimal comma \(verify which character separates decimals\)/)
    assert.match(readFileSync(bank.path('map.ts'), 'utf8'), /verify it/)
    const [transaction] = await records(bank, 'banking.transaction')
    assert.equal(transaction?.['amount'], '1234')

    bank.write('b.csv', ['accountId;balance;available', 'a1;1.234;10.50'])
    const sure = await proposeAndLoad(bank, 'b.csv', '--output', bank.path('balances.ts'))
    assert.doesNotMatch(sure, /verify/)
    const [balance] = await records(bank, 'banking.balance')
    assert.equal(balance?.['currentBalance'], '1.234')
  })

  it('takes debits with a minus for debits, and asks to verify it', async (t) => {
    const bank = await openWithAccount(t)
    bank.write('t.csv', ['accountId,id,date,debit,credit', 'a1,t1,31/1/2026,-12.50,'])

    const printed = await proposeAndLoad(bank, 't.csv')

    assert.match(printed, /verify that none is a reversal/)
    const [transaction] = await records(bank, 'banking.transaction')
    assert.equal(transaction?.['amount'], '-12.50')
  })

  it('says why rows cannot be read, and which columns have no values', async (t) => {
    for (const [rows, printed] of [
      [['a1,t1,1/2/2026'], /1 row cannot be read: line 2 has 3 cells, but the header has 4/],
      [['a1,t1,"1/2/2026,5'], /1 row cannot be read: line 2 has a quote that is not closed/],
      [[], /^ {2}date +postingDateTime +no values$/m],
    ] as const) {
      const bank = await openBank(t)
      bank.write('t.csv', ['accountId,id,date,amount', ...rows])

      const { stdout } = await propose(bank, 't.csv')

      assert.match(stdout, printed)
      assert.doesNotMatch(stdout, /not recognised/)
    }
  })

  it('rejects an invalid time zone', async (t) => {
    const bank = await openBank(t)
    bank.write('c.csv', ['id,name', 'c1,Ana'])

    const { status, stderr } = await runInProcess(
      ['map', 'init', bank.path('c.csv'), '--output', bank.path('map.ts')],
      { HOLDFAST_TIME_ZONE: 'Sidney' },
    )

    assert.equal(status, 2)
    assert.match(stderr, /HOLDFAST_TIME_ZONE must be a time zone .*"Sidney"/)
    assert.throws(() => readFileSync(bank.path('map.ts')), { code: 'ENOENT' })
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
