import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, it } from 'node:test'
import { entryBytesMax, recordBytesMax } from '../../src/contract/index.ts'
import { lineBytesMax } from '../../src/load/lines.ts'
import { closingTogether, describe } from '../support/engines.ts'
import type { Finished } from '../support/process.ts'
import { openBank } from './bank.ts'
import { line, oneOfEach, put } from './lines.ts'

const person = { id: 'c5', name: 'Bo', email: 'bo@example.com' }
const types =
  'customer, banking\\.account, banking\\.balance, banking\\.transaction, banking\\.scheduledPayment, ' +
  'banking\\.directDebit, energy\\.account, energy\\.invoice, energy\\.billing, account\\.contact, product'
const noField = /^is not a field of this record$/
const twice = /^appears twice in one object$/
const holders = [{ customerId: 'c1' }]

/** What is wrong, a line that has it, the field that is named, and the reason. */
const mistakes: readonly (readonly [string, string | Buffer, string, RegExp])[] = [
  ['is not JSON', '{"type":"customer","record":{"id":"c5"', 'line', /^must be a JSON object$/],
  ['is only a word', 'customer', 'line', /^must be a JSON object$/],
  ['is a list', `[${line('customer', person)}]`, 'line', /^must be a JSON object$/],
  ['is null', 'null', 'line', /^must be a JSON object$/],
  ['is two objects', `${put.product('p5')}${put.product('p6')}`, 'line', /^must be a JSON object$/],
  ['ends in a comma', `${put.product('p5')},`, 'line', /^must be a JSON object$/],
  ['has a mark in front of it', `\ufeff${put.product('p5')}`, 'line', /^must be a JSON object$/],
  [
    'is not UTF-8',
    Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    'line',
    /^must be UTF-8$/,
  ],
  [
    'ends inside a character',
    Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xe2, 0x82])]),
    'line',
    /^must be UTF-8$/,
  ],
  [
    'is one byte too long',
    `"${'x'.repeat(lineBytesMax - 1)}"`,
    'line',
    new RegExp(`^must be at most ${lineBytesMax} bytes long$`),
  ],
  [
    'is far too long',
    `"${'x'.repeat(2 * lineBytesMax)}"`,
    'line',
    new RegExp(`^must be at most ${lineBytesMax} bytes long$`),
  ],
  [
    'has a record that is too long',
    line('customer', { ...person, name: 'x'.repeat(recordBytesMax) }),
    'record',
    new RegExp(`^must be at most ${recordBytesMax} bytes of JSON$`),
  ],
  [
    'has a list entry that is too long',
    put.transaction('a1', 't5', { description: 'é'.repeat(entryBytesMax / 2) }),
    'record',
    new RegExp(`^must be at most ${entryBytesMax} bytes of JSON$`),
  ],
  ['has no type', '{"record":{}}', 'type', new RegExp(`^must be one of ${types}$`)],
  ['has an unknown type', '{"type":"banking.card","record":{}}', 'type', /^must be one of /],
  ['has a type in capitals', '{"type":"Customer","record":{}}', 'type', /^must be one of /],
  [
    'has a type that objects inherit',
    '{"type":"toString","record":{}}',
    'type',
    /^must be one of /,
  ],
  ['has a type that is no text', '{"type":7,"record":{}}', 'type', /^must be one of /],
  ['has no record', '{"type":"customer"}', 'record', /^is required$/],
  [
    'has no record though the contact is open',
    '{"type":"account.contact","accountId":"a1","status":"OPEN"}',
    'record',
    /^is required$/,
  ],
  [
    'has no record though no contact',
    '{"type":"customer","status":"RESTRICTED"}',
    'status',
    noField,
  ],
  ['has a record that is null', '{"type":"customer","record":null}', 'line', /^must be an object$/],
  ['has a record that is text', '{"type":"product","record":"p1"}', 'line', /^must be an object$/],
  ['has a member beside its record', line('customer', person, { notes: 'x' }), 'notes', noField],
  ['has another type’s member', line('banking.balance', {}, { id: 'b1' }), 'id', noField],
  [
    'has the member __proto__',
    '{"type":"product","__proto__":{},"record":{}}',
    '__proto__',
    noField,
  ],
  ['both puts and removes', line('customer', person, { delete: { id: 'c5' } }), 'record', noField],
  ['has no holders', line('banking.account', { accountId: 'a5' }), 'holders', /^is required$/],
  [
    'has a holder who is no text',
    line('energy.account', { accountId: 'e5' }, { holders: [{ customerId: 5 }] }),
    'holders[0].customerId',
    /^must be a string of 1 to 256 printable characters$/,
  ],
  [
    'has a holder with a member too many',
    line('banking.account', { accountId: 'a5' }, { holders: [{ customerId: 'c1', since: 1 }] }),
    'holders[0].since',
    noField,
  ],
  [
    'has a contact of no account',
    line('account.contact', {}, { status: 'OPEN' }),
    'accountId',
    /^is required$/,
  ],
  [
    'has a contact of unknown status',
    line('account.contact', {}, { accountId: 'a1', status: 'GONE' }),
    'status',
    /^must be one of /,
  ],
  [
    'has an effective time that is none',
    line('banking.transaction', {}, { effectiveTime: 'yesterday' }),
    'effectiveTime',
    /^must be an RFC 3339 date-time$/,
  ],
  ['lacks a field', line('customer', { id: 'c5', email: 'b@c.d' }), 'name', /^is required$/],
  ['has a wrong field', line('customer', { ...person, email: 'bo' }), 'email', /e-mail address$/],
  ['has a field too many', line('customer', { ...person, age: 50 }), 'age', noField],
  [
    'has a field of another kind',
    line('customer', { ...person, emailVerified: 'true' }),
    'emailVerified',
    /^must be true or false$/,
  ],
  [
    'has a wrong field deep inside',
    put.account('a5', ['c1'], { fees: [{ name: 'x', feeType: 'FREE' }] }),
    'fees[0].feeType',
    /^must be one of /,
  ],
  [
    'breaks a rule of the record',
    put.transaction('a1', 't5', { postingDateTime: undefined }),
    'postingDateTime',
    /^is required when status is POSTED$/,
  ],
  [
    'is a joint account that names no users',
    line('banking.account', { accountId: 'a5', accountOwnership: 'TWO_PARTY' }, { holders }),
    'users',
    /^is required when accountOwnership is /,
  ],
  ['has an id too long', put.product('p'.repeat(257)), 'product_id', /of 1 to 256 printable/],
  ['has an empty id', put.customer(''), 'id', /of 1 to 256 printable/],
  ['has a line break in an id', put.customer('c\n5'), 'id', /of 1 to 256 printable/],
  [
    'has a time that no database holds',
    put.transaction('a1', 't5', { postingDateTime: '1600-01-01T00:00:00Z' }),
    'line',
    /^has a time outside the years 1678 to 2261$/,
  ],
  [
    'says a member of the line twice',
    '{"type":"product","type":"product","record":{}}',
    'type',
    twice,
  ],
  [
    'says a field of the record twice',
    `{"type":"customer","record":{"id":"c5","name":"Bo","email":"b@c.d","id":"c6"}}`,
    'id',
    twice,
  ],
  [
    'says a field twice deep inside',
    `{"type":"customer","record":{"id":"c5","name":"Bo","email":"b@c.d","address":{"region":"VIC","region":"VIC"}}}`,
    'region',
    twice,
  ],
  [
    'says a field twice in two spellings of its name',
    `{"type":"customer","record":{"id":"c5","name":"Bo","email":"b@c.d","n\\u0061me":"Bo"}}`,
    'name',
    twice,
  ],
  [
    'says a holder twice',
    `{"type":"banking.account","holders":[{"customerId":"c1","customerId":"c1"}],"record":{"accountId":"a5"}}`,
    'customerId',
    twice,
  ],
  [
    'says the key of a removal twice',
    '{"type":"product","delete":{"product_id":"p1","product_id":"p2"}}',
    'product_id',
    twice,
  ],
  ['removes without a key', '{"type":"customer","delete":{}}', 'delete.id', /^is required$/],
  ['removes by a word', '{"type":"customer","delete":"c1"}', 'delete', /^must be an object$/],
  [
    'removes with half a key',
    '{"type":"banking.transaction","delete":{"accountId":"a1"}}',
    'delete.transactionId',
    /^is required$/,
  ],
  [
    'removes with too much of a key',
    '{"type":"banking.account","delete":{"accountId":"a1","id":"x"}}',
    'delete.id',
    noField,
  ],
]

describe('holdfast load, of a bad line', () => {
  /** One load of all of them, each behind a good line and a blank one. */
  let run: Finished
  let all: string[]
  let unchanged: boolean
  const lineOf = (index: number) => 3 * index + 3

  const closing = closingTogether({ after })
  before(async () => {
    const bank = await openBank(closing)
    await bank.fill(Object.values(oneOfEach()))
    const state = await bank.dump()
    const parts = mistakes.flatMap(([, bad], index) => [put.product(`q${index}`), '', bad])
    const bytes = parts.flatMap((part) => [Buffer.from(part as string), Buffer.from('\n')])
    bank.write('bad.ndjson', Buffer.concat(bytes))

    run = await bank.run(['load', 'bad.ndjson', '--errors', 'errors.txt'])
    all = readFileSync(bank.path('errors.txt'), 'utf8').split('\n').slice(0, -1)
    unchanged = (await bank.dump()) === state
  })

  for (const [index, [name, , field, reason]] of mistakes.entries()) {
    it(`refuses one that ${name}`, () => {
      const place = `bad.ndjson:${lineOf(index)}: `

      const refusals = all.filter((refusal) => refusal.startsWith(place))
      const reasons = refusals
        .map((refusal) => refusal.slice(place.length))
        .filter((refusal) => refusal.startsWith(`${field}: `))
        .map((refusal) => refusal.slice(field.length + 2))

      assert.equal(reasons.length, 1, refusals.join('\n') || 'it was not refused')
      assert.match(reasons[0] ?? '', reason)
    })
  }

  it('refuses no good line', () => {
    const bad = new Set(mistakes.keys().map(lineOf))

    const wrongly = all.filter((refusal) => !bad.has(Number(refusal.split(':')[1])))

    assert.deepEqual(wrongly, [])
  })

  it('names each as FILE:LINE: field: reason, in the order of the file', () => {
    const lines = all.map((refusal) => Number(refusal.split(':')[1]))

    for (const refusal of all) assert.match(refusal, /^bad\.ndjson:\d+: [\w.[\]]+: \S.*\S$/)
    assert.deepEqual(
      lines,
      lines.toSorted((a, b) => a - b),
    )
  })

  it('shows the first twenty and then the count, and has all in the file of errors', () => {
    const shown = run.stderr.split('\n').slice(0, -1)

    assert.deepEqual(shown.slice(0, -1), all.slice(0, 20))
    assert.match(shown.at(-1) ?? '', new RegExp(`^${all.length} errors in \\d+ lines, of which`))
    assert.ok(all.length > 20)
  })

  it('exits with 1, says that nothing was changed, and has changed nothing', () => {
    assert.match(run.stderr, / Nothing was changed\.\n$/)
    assert.deepEqual({ status: run.status, stdout: run.stdout }, { status: 1, stdout: '' })
    assert.ok(unchanged)
  })
})

describe('holdfast load, of a single bad line', () => {
  it('names everything that is wrong with it', async (t) => {
    const bank = await openBank(t)

    const { status, stderr } = await bank.load([line('customer', { id: '', email: 7 })])

    assert.equal(status, 1)
    assert.equal(
      stderr,
      [
        'data.ndjson:1: name: is required',
        'data.ndjson:1: id: must be a string of 1 to 256 printable characters',
        'data.ndjson:1: email: must be an e-mail address',
        '3 errors in 1 line. Nothing was changed.\n',
      ].join('\n'),
    )
  })

  it('refuses a removal of what has no key, by neither id nor record', async (t) => {
    const bank = await openBank(t)

    for (const type of ['banking.directDebit', 'energy.billing']) {
      const { status, stderr } = await bank.load([`{"type":"${type}","delete":{"accountId":"a1"}}`])

      assert.match(stderr, /^data(-\d)?\.ndjson:1: [\w.]+: /)
      assert.equal(status, 1)
    }
  })

  it('keeps a refusal on one line, whatever a member is called', async (t) => {
    const bank = await openBank(t)
    const name = 'a\\nb\\u001b[2J'

    const unknown = await bank.load([`{"type":"customer","record":{"${name}":1}}`])
    const repeated = await bank.load([`{"type":"customer","record":{"${name}":1,"${name}":1}}`])

    for (const { stderr } of [unknown, repeated]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that there is none is the point
      assert.doesNotMatch(stderr, /[\u0000-\u0009\u000b-\u001f]/)
      for (const shown of stderr.split('\n').slice(0, -2)) assert.match(shown, /^data/)
    }
  })

  it('refuses a record that is nested without end', async (t) => {
    const bank = await openBank(t)
    const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`

    const { status, stderr } = await bank.load([
      `{"type":"customer","record":${deep}}`,
      `{"type":"customer","record":{"id":${deep.replaceAll('[', '{"a":').replaceAll(']', '}')}}}`,
    ])

    assert.match(stderr, /^data\.ndjson:1: line: must be an object$/m)
    assert.match(stderr, /^data\.ndjson:2: /m)
    assert.equal(status, 1)
  })
})
