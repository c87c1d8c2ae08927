import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type CorrectionNotice, correctableTypes } from '../../src/contract/index.ts'
import { openConsentStore } from '../../src/storage/open.ts'
import { put, removal } from '../load/lines.ts'
import { describe, describeOnce } from '../support/engines.ts'
import { correct, openCorrections, timeZone } from './corrections.ts'
import { discloseRecords, discloseUnsent } from './disclose.ts'
import { execute } from './stored-records.ts'
import { makeThirdParty } from './stores.ts'

const consentsOf = (notices: readonly CorrectionNotice[]) =>
  notices.map(({ consentId }) => consentId).sort()

const transactionsIn = (oldest: string, newest: string, consentId: string) => ({
  ...{ operation: 'cds-transactions', accountIds: ['a1'], oldest, newest, consentId },
})

describe('holdfast records corrections', () => {
  it('compares the period that was asked for with the time before and after, to the ends', async (t) => {
    const { bank, disclose, list } = await openCorrections(t)
    const paid = (postingDateTime: string) => put.transaction('a1', 't1', { postingDateTime })
    await bank.fill([paid('2026-03-01T10:00:00.5Z')])
    await disclose(
      transactionsIn('2026-02-01T00:00:00Z', '2026-03-01T10:00:00.4Z', 'too early'),
      transactionsIn('2026-02-01T00:00:00Z', '2026-03-01T21:00:00.5+11:00', 'before'),
      transactionsIn('2026-04-01T10:00:00Z', '2026-05-01T00:00:00Z', 'after'),
      transactionsIn('2026-04-01T10:00:00.001Z', '2026-05-01T00:00:00Z', 'too late'),
      transactionsIn('2026-03-02T00:00:00Z', '2026-03-31T00:00:00Z', 'between'),
    )
    await bank.fill([correct(paid('2026-04-01T10:00:00Z'))])
    assert.deepEqual(consentsOf(await list()), ['after', 'before'])
  })

  it('compares local times in the time zone of the platform, and invoices by day', async (t) => {
    const { bank, disclose, list } = await openCorrections(t)
    const before = [
      put.billing('e1', 'b1', { executionDateTime: '2026-07-01T00:30:00' }),
      put.invoice('e1', 'i1', { issueDate: '2026-07-01' }),
    ]
    await bank.fill(before)
    const ask = (operation: string, oldest: string, newest: string, consentId: string) => ({
      ...{ operation: `cds-${operation}`, accountIds: ['e1'], oldest, newest, consentId },
    })
    await disclose(
      // 00:30 in Sydney is 14:30 in UTC.
      ask('billing', '2026-06-30T14:30:00Z', '2026-06-30T15:00:00Z', 'hour'),
      ask('billing', '2026-07-01T00:00:00Z', '2026-07-01T23:00:00Z', 'day in UTC'),
      ask('invoices', '2026-07-01', '2026-07-01', 'day'),
      ask('invoices', '2026-06-01', '2026-06-30', 'month before'),
      ask('invoices', '2026-07-02', '2026-07-31', 'days after'),
    )
    await bank.fill([
      correct(removal('energy.billing', { accountId: 'e1', id: 'b1' })),
      correct(removal('energy.invoice', { accountId: 'e1', invoiceNumber: 'i1' })),
    ])
    const notices = await list()
    assert.deepEqual(consentsOf(notices), ['day', 'hour'])
    assert.deepEqual(
      notices.map(({ data, recordId, isDeleted }) => [data, recordId, isDeleted]).sort(),
      [
        ['Billing transaction', 'b1', true],
        ['Invoice', 'i1', true],
      ],
    )
  })

  it('lists all data of an account that the customer should not have had', async (t) => {
    const { bank, disclose, list } = await openCorrections(t)
    const balance = { operation: 'cds-balance' }
    await disclose(
      { consentId: 'balance of a1', accountIds: ['a1'], ...balance },
      { consentId: 'balance of a2', accountIds: ['a2'], ...balance },
      { consentId: 'power', accountIds: ['e1'], operation: 'cds-billing' },
      { consentId: 'customer', accountIds: [], operation: 'cds-customer' },
    )
    await bank.fill([correct(put.account('a1', ['c2'], { users: [{ id: 1 }] }))])
    await bank.fill([correct(removal('energy.account', { accountId: 'e1' }))])
    const notices = await list()
    assert.deepEqual(consentsOf(notices), ['balance of a1', 'power'])
    assert.ok(notices.every(({ data }) => data === 'Account with all of its data'))
  })

  it('lists no error, no answer without records or that was not sent, and nothing a minute later', async (t) => {
    const { bank, store, start, list } = await openCorrections(t)
    await bank.fill([put.balance('a1', { currentBalance: '1.00' })])
    const balance = { operation: 'cds-balances' }
    await discloseRecords(
      store,
      start,
      { ...balance, consentId: 'error', error: 'unknownAccount', status: 404 },
      { ...balance, consentId: 'nothing', count: 0 },
      { ...balance, consentId: 'both', accountIds: ['a2', 'a1'] },
      { ...balance, consentId: 'customer', customerId: 'c2' },
    )
    await discloseUnsent(store, start, { ...balance, consentId: 'unsent' }, {})
    await bank.fill([correct(put.balance('a1', { currentBalance: '2.00' }))])
    const [{ time } = { time: start }] = await store.corrections.list({ limit: 1 })
    await discloseRecords(store, time.add({ seconds: 60 }), { ...balance, consentId: 'at once' })
    await discloseRecords(store, time.add({ seconds: 61 }), { ...balance, consentId: 'later' })
    assert.deepEqual(consentsOf(await list()), ['at once', 'both'])
  })

  it('selects by time, customer and third party, and has the times and the due date in the zone', async (t) => {
    const { bank, store, start, disclose, list } = await openCorrections(t)
    await store.thirdParties.add(makeThirdParty('t1', { name: 'Budget' }))
    await disclose({ operation: 'cds-customer' })
    await discloseRecords(
      store,
      start.add({ minutes: 1 }),
      { operation: 'cds-customer' },
      { operation: 'cds-customer-detail', thirdPartyId: 't2', consentId: 'r2' },
      { operation: 'userinfo', customerId: 'c2', consentId: 'r3' },
    )
    const name = { email: 'new@example.com' }
    await bank.fill([correct(put.customer('c1', name)), correct(put.customer('c2', name))])
    const [{ time } = { time: start }] = await store.corrections.list({ limit: 1 })
    const local = (at: Temporal.Instant) =>
      at.toZonedDateTimeISO(timeZone).toString({ smallestUnit: 'second', timeZoneName: 'never' })

    const [notice, ...others] = await list('--since', time.toString(), '--customer', 'c1')
    assert.deepEqual(notice, {
      ...{ customerId: 'c1', type: 'customer', isDeleted: false, data: 'Customer details' },
      corrected: local(time),
      noticeDue: notice?.noticeDue,
      thirdParty: { id: 't1', name: 'Budget' },
      consentId: 'r1',
      disclosures: 2,
      firstDisclosed: local(start),
      lastDisclosed: local(start.add({ minutes: 1 })),
    })
    const day = time.toZonedDateTimeISO(timeZone).toPlainDate()
    const { days } = day.until(notice?.noticeDue ?? day)
    // With one weekend in between, or two if it was corrected on one.
    assert.ok(days === 7 || (day.dayOfWeek > 5 && days === 12 - day.dayOfWeek), `${days} days`)
    assert.deepEqual(consentsOf(others), ['r2'])
    assert.deepEqual(consentsOf(await list('--third-party', 't1')), ['r1', 'r3'])
    const until = time.add({ milliseconds: 1 }).toString()
    assert.equal((await list('--until', until)).length, 3)
    assert.equal((await list('--until', time.toString())).length, 0)
    assert.equal((await list('--since', day.add({ days: 1 }).toString())).length, 0)
  })

  it('lists what it can read if a block was changed, names it and exits with 1', async (t) => {
    const { bank, disclose, run } = await openCorrections(t)
    await bank.fill([put.transaction('a1', 't1', { postingDateTime: '2026-03-01T10:00:00Z' })])
    const period = ['2026-02-01T00:00:00Z', '2026-04-01T00:00:00Z'] as const
    await disclose(transactionsIn(...period, 'r1'))
    await disclose(transactionsIn(...period, 'r2'))
    await bank.fill([correct(put.transaction('a1', 't1', { amount: '7.00' }))])
    const notices = () => run('records', 'corrections')
    const listed = (stdout: string) => stdout.match(/(?<="consentId":")\w+/g)?.sort()
    assert.deepEqual(listed((await notices()).stdout), ['r1', 'r2'])

    for (const [from, to, consents] of [
      ['"accountIds":["a1"]', '"accountIds":null', ['r2']],
      ['"accountIds":null', '"accountIds":["a1",7]', ['r2']],
      ['"accountIds":["a1",7]', '"accountIds":["a1"]', ['r1', 'r2']],
      [period[0], 'nonsense', ['r1', 'r2']],
      ['"consentId":"r1"', '"consentId":{}', ['r2']],
    ] as const) {
      const changed = `replace(lines, '${from}', '${to}')`
      await execute(
        bank.database(),
        `update record_block set lines = ${changed} where lines like '%"r1"%' or lines like '%{}%'`,
      )
      const { status, stdout, stderr } = await notices()
      assert.deepEqual(listed(stdout), consents, to + stderr)
      if (to.startsWith('"accountIds":["a1"]')) assert.equal(status, 0)
      else {
        assert.equal(status, 1, to)
        assert.match(stderr, /the records were changed: chain \S+, block \d+\. Run/)
      }
    }
  })

  it('reads the corrections of a provider with another database from a file', async (t) => {
    const { bank, store, start, run, list } = await openCorrections(t)
    const names = Array.from({ length: 250 }, (_, index) => `t${index}`)
    const pay = (amount: string) => names.map((id) => put.transaction('a1', id, { amount }))
    await bank.fill([...pay('-1.00'), put.debit('a1', 'd1'), put.balance('a1')])
    await bank.fill([
      ...pay('-2.00').map(correct),
      correct(removal('banking.directDebit', { accountId: 'a1', id: 'd1' })),
    ])
    const written = await run('data', 'corrections', '--since', '2026-01-01')
    assert.equal(written.status, 0, written.stderr)
    bank.write('corrections.ndjson', written.stdout)
    assert.equal(written.stdout.trimEnd().split('\n').length, 251)
    const period = { oldest: '2020-01-01T00:00:00Z', newest: '2030-01-01T00:00:00Z' }
    const records = [{ ...period }, { operation: 'cds-direct-debits' }]
    await discloseRecords(store, start, ...records)
    const platform = await openConsentStore(await bank.another())
    await discloseRecords(platform, start, ...records)
    await platform.close()

    const here = await list()
    const file = bank.path('corrections.ndjson')
    assert.deepEqual(await list('--corrections', file), here)
    assert.equal(here.length, 251)
    assert.equal(here.filter(({ recordId }) => recordId === 'd1').length, 1)
    assert.deepEqual(await list('--corrections', file, '--customer', 'c2'), [])
    assert.deepEqual(await list('--corrections', file, '--until', '2026-01-01'), [])
  })
})

describeOnce('the notices of corrections', () => {
  it('are rows for a spreadsheet that runs none of them, and text', async (t) => {
    const { bank, store, run, disclose } = await openCorrections(t)
    const name = '=HYPERLINK("https://example.com")'
    await store.thirdParties.add(makeThirdParty('t1', { name }))
    await bank.fill([put.transaction('a1', '-1+2', { amount: '-1.00' })])
    await disclose({ consentId: '@r1' })
    await bank.fill([correct(put.transaction('a1', '-1+2', { amount: '-2.00' }))])

    const csv = await run('records', 'corrections', '--format', 'csv')
    const [header, row, ...rest] = csv.stdout.split('\r\n')
    assert.match(header ?? '', /^customerId,noticeDue,thirdPartyId,thirdPartyName,consentId,data,/)
    assert.match(
      row ?? '',
      /^c1,\d{4}-\d\d-\d\d,t1,"'=HYPERLINK\(""https:\/\/example.com""\)",'@r1,Transaction,banking.transaction,a1,'-1\+2,false,/,
    )
    assert.deepEqual(rest, [''])
    const text = await run('records', 'corrections', '--format', 'text')
    assert.match(
      text.stdout,
      /^Customer c1: notice due on \S+\n {2}data {7}Transaction -1\+2 of account a1\n {2}corrected {2}\S+\n {2}recipient {2}=HYPERLINK\("https:\/\/example.com"\) \(t1\), consent @r1\n {2}disclosed {2}1 time, \S+ to \S+\n\n$/,
    )
  })

  it('are not listed from a file with invalid lines, which are named', async (t) => {
    const { bank, run } = await openCorrections(t)
    const line = { time: '2026-11-01T00:00:00Z', customerId: 'c1', type: 'customer' }
    const valid = JSON.stringify({ ...line, isDeleted: false })
    bank.write('corrections.ndjson', [
      valid,
      '{"time":',
      JSON.stringify(line),
      valid.replace('customer"', 'product"'),
      valid.replace('2026-11-01', '2026-13-01'),
      valid.replace('{', '{"amount":"1.00",'),
      '[]',
      `{"customerId":"${'c'.repeat(20_000)}"}`,
    ])
    const file = bank.path('corrections.ndjson')
    const { status, stdout, stderr } = await run('records', 'corrections', '--corrections', file)
    assert.deepEqual([status, stdout], [1, ''])
    assert.deepEqual(stderr.replaceAll(file, 'FILE').trimEnd().split('\n'), [
      '--corrections has invalid lines:',
      '  FILE:2: the record must be JSON',
      '  FILE:3: isDeleted is required',
      `  FILE:4: type must be one of ${correctableTypes.join(', ')}`,
      '  FILE:5: time must be an RFC 3339 date-time',
      '  FILE:6: amount is not a field of this record',
      '  FILE:7: the record must be an object',
      '  FILE:8: the record must be at most 16384 bytes long',
    ])
    for (const [flag, value, error] of [
      ['--corrections', bank.path('missing'), /file not found/],
      ['--corrections', bank.folder, /is a directory/],
      ['--since', 'yesterday', /--since must be a day such as 2026-07-01, or a time with its zone/],
      ['--until', '2026-02-30', /--until must be a day/],
    ] as const) {
      const failed = await run('records', 'corrections', flag, value)
      assert.equal(failed.status, 2)
      assert.match(failed.stderr, error)
    }
  })
})
