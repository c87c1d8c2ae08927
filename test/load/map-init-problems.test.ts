import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { runInProcess } from '../support/process.ts'
import { openBank } from './bank.ts'
import { openWithAccount, propose, proposeAndLoad, records } from './proposed-map.ts'

describeOnce('what holdfast map init cannot decide', { concurrency: 2 }, () => {
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
    assert.match(stderr, /HOLDFAST_TIME_ZONE must be a time zone .*, not "Sidney"/)
    assert.throws(() => readFileSync(bank.path('map.ts')), { code: 'ENOENT' })
  })
})
