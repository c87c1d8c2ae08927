import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { dumpDatabase } from '../support/load.ts'
import { finish, runInProcess, startHoldfast } from '../support/process.ts'
import { openBank, splitLines } from './bank.ts'
import { line, put, removal, undated } from './lines.ts'

/** Loads lines, dumps them, restores the dump, and dumps again. */
async function roundTrip(
  t: Parameters<typeof openBank>[0],
  ...loads: readonly (readonly string[])[]
) {
  const bank = await openBank(t)
  for (const lines of loads) await bank.fill(lines)
  const first = await bank.dump()
  const restored = await openBank(t)
  await restored.fill(first)
  return { first, second: await restored.dump() }
}

/** The first differing line: a full diff of two long dumps is unreadable. */
function firstDifference(one: string, two: string) {
  const others = splitLines(two)
  const index = splitLines(one).findIndex((each, at) => each !== others[at])
  if (one === two) return undefined
  return { line: index + 1, one: splitLines(one)[index], two: others[index] }
}

const baseLines = [put.customer('c1'), put.customer('c2'), put.account('a1', ['c1'])]
const energyLine = put.energyAccount('e1', ['c1'])

describe('a dump that is restored and dumped again', () => {
  it('is identical for 20 generated customers, through a pipe', async (t) => {
    const bank = await openBank(t)
    const flags = ['--customers', '20', '--transactions', '15', '--seed', 'round trip']

    const restored = await bank.another()
    const { stdout } = await runInProcess(['generate', ...flags])
    await bank.fill(stdout)
    const source = startHoldfast(t, ['dump', '--database', bank.database()])
    const target = startHoldfast(t, ['load', '-', '--database', restored])
    source.stdout.pipe(target.stdin)
    const { status, stderr } = await finish(target)
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })

    const [one, two] = [await bank.dump(), await dumpDatabase(restored)]
    assert.ok(one.length > 400_000, `${one.length} bytes`)
    assert.deepEqual(firstDifference(one, two), undefined)
    const records = (text: string) =>
      splitLines(text).map((each) => each.replace(/^.*?"record":/, ''))
    assert.ok(records(one).sort().join() === records(stdout).sort().join(), 'a record is missing')
  })

  it('is empty for an empty database', async (t) => {
    assert.deepEqual(await roundTrip(t, []), { first: '', second: '' })
  })

  it('preserves whitespace, numbers, escapes and field order', async (t) => {
    const records = [
      String.raw`{ "name":"\u00c9va \ud83e\udd89" ,"email" : "e@x.example", "id":"c3" }`,
      '{"depositRate":1.50e-2,"bsb":0.62e5 , "accountId":"a3"}',
      '{"availableBalance":"-000.50","accountId":"a3","currentBalance":"0"}',
      String.raw`{"status":"POSTED","amount":"1","transactionId":"t\/1","accountId":"a3","postingDateTime":"2025-01-01t00:00:00.1+10:30","description":"a\tb\\u0000\u0001"}`,
      '{"authorisedEntity":{"abn":5.0,"acn":1E3},"accountId":"a3"}',
      '{"users" : [ ],"accountId":"e3" , "plans":[{"servicePointIds":[ "6" , 6.0 ]}]}',
      '{"payment":{"amount":"1"} ,"transactionUType":"payment","executionDateTime":"2025-04-10T11:00:00.000","accountId":"e3"}',
    ]
    const envelopes = [
      '{ "type" : "customer" , "record" : $ }',
      '{"record":$,"holders":[{"customerId":"c1"}],"type":"banking.account"}',
      '{"type":"banking.balance","record":$}',
      '\t{"record"  :$, "type":"banking.transaction"}',
      '{"type":"banking.directDebit","record":$}',
      '{"type":"energy.account","holders":[{"customerId":"c1"}],"record":$}',
      '{"type":"energy.billing", "record": $ }',
    ]
    const lines = records.map((record, index) =>
      (envelopes[index] ?? '').replace('$', () => record),
    )

    const { first, second } = await roundTrip(t, baseLines, lines)

    assert.equal(second, first)
    for (const record of records) assert.ok(first.includes(`"record":${record}}\n`), record)
  })

  it('preserves accounts with isOwned anywhere in the record, and nowhere', async (t) => {
    const records = [
      '{"isOwned": false ,"accountId":"a3"}',
      '{"accountId":"a4" ,"isOwned" :true, "nickname":"x"}',
      '{"accountId":"a5" , "isOwned":  false  }',
      String.raw`{"accountId":"a6","is\u004fwned":true}`,
      '{ "accountId":"a7" }',
      String.raw`{"accountId":"a8","nickname":"\"isOwned\":true}"}`,
    ]
    const holders = '[{"customerId":"c1","isOwned":false}]'
    const accounts = records.map(
      (record) => `{"type":"banking.account","holders":${holders},"record":${record}}`,
    )

    const { first, second } = await roundTrip(t, baseLines, accounts)

    assert.equal(second, first)
    assert.deepEqual(splitLines(first).slice(-records.length), accounts)
  })

  it('preserves ids of any printable characters', async (t) => {
    const ids = [
      '"',
      '\\',
      "'",
      '%_',
      ' ',
      'é',
      '🦉',
      '你',
      '</',
      '\u00a0',
      'x'.repeat(256),
      '-1',
      '0',
    ]

    const { first, second } = await roundTrip(
      t,
      ids.flatMap((id) => [
        put.customer(id),
        put.account(id, [id]),
        put.transaction(id, id),
        put.debit(id, id),
        put.product(id),
      ]),
    )

    assert.equal(second, first)
    assert.equal(splitLines(first).length, 5 * ids.length)
  })

  it('preserves the earliest and latest times, and assigned times', async (t) => {
    const posted = (id: string, postingDateTime: string) =>
      put.transaction('a1', id, { postingDateTime })
    const lines = [
      posted('t1', '1677-09-21T00:12:44Z'),
      posted('t2', '2262-04-11T23:47:16.854775807Z'),
      posted('t3', '1969-12-31T23:59:59.999999999Z'),
      undated('a1', 't4'),
      line('banking.account', { accountId: 'a3' }, { holders: [{ customerId: 'c1' }] }),
    ]

    const { first, second } = await roundTrip(t, baseLines, lines)

    assert.equal(second, first)
    const transactions = splitLines(first).filter((each) => each.includes('transactionId'))
    const ids = transactions.map((each) => JSON.parse(each).record.transactionId)
    assert.deepEqual(ids, ['t1', 't3', 't4', 't2'])
  })

  it('preserves contacts with the status RESTRICTED, with and without a record', async (t) => {
    const { first, second } = await roundTrip(t, baseLines, [
      energyLine,
      '{"type":"account.contact","accountId":"a1","status":"RESTRICTED"}',
      put.contact('e1').replace('OPEN', 'RESTRICTED'),
    ])

    assert.equal(second, first)
    assert.equal(first.match(/RESTRICTED/g)?.length, 2)
  })

  it('distinguishes records with and without an envelope id', async (t) => {
    const { first, second } = await roundTrip(t, baseLines, [
      energyLine,
      put.debit('a1'),
      put.debit('a1', 'd1'),
      put.debit('a1', 'content:d1'),
      put.billing('e1'),
      put.billing('e1', 'id:b1'),
    ])

    assert.equal(second, first)
    assert.equal(splitLines(first).length, 9)
  })

  it('preserves an account whose only holder was deleted', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...baseLines, put.balance('a1')])
    await bank.fill([removal('customer', { id: 'c1' })])
    const dump = await bank.dump()
    const restored = await openBank(t)

    const { status, stderr } = await restored.load(dump)

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    assert.equal(await restored.dump(), dump)
  })

  it('depends only on the content, not on the history of loads', async (t) => {
    const lines = [
      ...baseLines,
      energyLine,
      put.transaction('a1', 't1'),
      put.transaction('a1', 't2'),
    ]
    const direct = await openBank(t)
    await direct.fill(lines)
    const indirect = await openBank(t)

    await indirect.fill([put.product('p1'), ...lines.toReversed(), put.transaction('a1', 't0')])
    await indirect.fill([
      removal('product', { product_id: 'p1' }),
      removal('banking.transaction', { accountId: 'a1', transactionId: 't0' }),
      removal('energy.account', { accountId: 'e1' }),
    ])
    await indirect.fill([energyLine])

    assert.equal(await indirect.dump(), await direct.dump())
  })
})
