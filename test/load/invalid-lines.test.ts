import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, it } from 'node:test'
import { entryBytesMax, recordBytesMax } from '../../src/contract/index.ts'
import { lineBytesMax } from '../../src/intake/lines.ts'
import { createScope, describeOnce } from '../support/engines.ts'
import type { Finished } from '../support/process.ts'
import { openBank } from './bank.ts'
import { createExamples, line, put } from './lines.ts'

const person = { id: 'c5', name: 'Bo', email: 'bo@example.com' }
const types =
  'customer, banking\\.account, banking\\.balance, banking\\.transaction, banking\\.scheduledPayment, ' +
  'banking\\.directDebit, energy\\.account, energy\\.invoice, energy\\.billing, account\\.contact, restriction, product'
const noField = /^is not a field of this record$/
const repeated = /^appears twice in one object$/
const holders = [{ customerId: 'c1' }]

/** The problem, the line, and the reported field and reason. */
const invalidLines: readonly (readonly [string, string | Buffer, string, RegExp])[] = [
  ['is not JSON', '{"type":"customer","record":{"id":"c5"', 'line', /^must be a JSON object$/],
  ['is a bare word', 'customer', 'line', /^must be a JSON object$/],
  ['is an array', `[${line('customer', person)}]`, 'line', /^must be a JSON object$/],
  ['is null', 'null', 'line', /^must be a JSON object$/],
  ['is two objects', `${put.product('p5')}${put.product('p6')}`, 'line', /^must be a JSON object$/],
  ['ends in a comma', `${put.product('p5')},`, 'line', /^must be a JSON object$/],
  [
    'starts with a byte order mark',
    `\ufeff${put.product('p5')}`,
    'line',
    /^must be a JSON object$/,
  ],
  [
    'is not UTF-8',
    Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    'line',
    /^must be UTF-8$/,
  ],
  [
    'ends within a character',
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
  [
    'has a type with a capital letter',
    '{"type":"Customer","record":{}}',
    'type',
    /^must be one of /,
  ],
  [
    'has a type that is a name on Object.prototype',
    '{"type":"toString","record":{}}',
    'type',
    /^must be one of /,
  ],
  ['has a type that is not a string', '{"type":7,"record":{}}', 'type', /^must be one of /],
  ['has no record', '{"type":"customer"}', 'record', /^is required$/],
  [
    'has no record for an open contact',
    '{"type":"account.contact","accountId":"a1","status":"OPEN"}',
    'record',
    /^is required$/,
  ],
  [
    'has no record and is not a contact',
    '{"type":"customer","status":"RESTRICTED"}',
    'status',
    noField,
  ],
  ['has a record that is null', '{"type":"customer","record":null}', 'line', /^must be an object$/],
  [
    'has a record that is a string',
    '{"type":"product","record":"p1"}',
    'line',
    /^must be an object$/,
  ],
  ['has an unknown envelope field', line('customer', person, { notes: 'x' }), 'notes', noField],
  [
    'has an envelope field of another type',
    line('banking.balance', {}, { id: 'b1' }),
    'id',
    noField,
  ],
  [
    'has the envelope field __proto__',
    '{"type":"product","__proto__":{},"record":{}}',
    '__proto__',
    noField,
  ],
  [
    'has both record and delete',
    line('customer', person, { delete: { id: 'c5' } }),
    'record',
    noField,
  ],
  ['has no holders', line('banking.account', { accountId: 'a5' }), 'holders', /^is required$/],
  [
    'has a holder that is not a string',
    line('energy.account', { accountId: 'e5' }, { holders: [{ customerId: 5 }] }),
    'holders[0].customerId',
    /^must be a string of 1 to 256 printable characters$/,
  ],
  [
    'has a holder with an unknown field',
    line('banking.account', { accountId: 'a5' }, { holders: [{ customerId: 'c1', since: 1 }] }),
    'holders[0].since',
    noField,
  ],
  [
    'is a contact without an account',
    line('account.contact', {}, { status: 'OPEN' }),
    'accountId',
    /^is required$/,
  ],
  [
    'is a contact with an unknown status',
    line('account.contact', {}, { accountId: 'a1', status: 'GONE' }),
    'status',
    /^must be one of /,
  ],
  [
    'has an invalid effective time',
    line('banking.transaction', {}, { effectiveTime: 'yesterday' }),
    'effectiveTime',
    /^must be an RFC 3339 date-time$/,
  ],
  [
    'has no value for a required field',
    line('customer', { id: 'c5', email: 'b@c.d' }),
    'name',
    /^is required$/,
  ],
  [
    'has an invalid field',
    line('customer', { ...person, email: 'bo' }),
    'email',
    /e-mail address$/,
  ],
  [
    'has an unknown field',
    line('customer', { ...person, age: 50 }),
    'age',
    /^is not a field of this record; --unknown-fields drop leaves it out$/,
  ],
  [
    'has a field of another type',
    line('customer', { ...person, emailVerified: 'true' }),
    'emailVerified',
    /^must be true or false$/,
  ],
  [
    'has an invalid nested field',
    put.account('a5', ['c1'], { fees: [{ name: 'x', feeType: 'FREE' }] }),
    'fees[0].feeType',
    /^must be one of /,
  ],
  [
    'violates a rule between fields',
    put.product('p5', {
      effective_from: '2026-01-02T00:00:00Z',
      effective_to: '2026-01-01T00:00:00Z',
    }),
    'effective_to',
    /^must not be before effective_from$/,
  ],
  [
    'is a joint account without users',
    line('banking.account', { accountId: 'a5', accountOwnership: 'TWO_PARTY' }, { holders }),
    'users',
    /^is required when accountOwnership is /,
  ],
  [
    'has an id that is too long',
    put.product('p'.repeat(257)),
    'product_id',
    /of 1 to 256 printable/,
  ],
  ['has an empty id', put.customer(''), 'id', /of 1 to 256 printable/],
  ['has a line break in an id', put.customer('c\n5'), 'id', /of 1 to 256 printable/],
  [
    'has a time outside the supported range',
    put.transaction('a1', 't5', { postingDateTime: '1600-01-01T00:00:00Z' }),
    'line',
    /^has a time outside the years 1678 to 2261$/,
  ],
  [
    'repeats an envelope field',
    '{"type":"product","type":"product","record":{}}',
    'type',
    repeated,
  ],
  [
    'repeats a field',
    `{"type":"customer","record":{"id":"c5","name":"Bo","email":"b@c.d","id":"c6"}}`,
    'id',
    repeated,
  ],
  [
    'repeats a nested field',
    `{"type":"customer","record":{"id":"c5","name":"Bo","email":"b@c.d","address":{"region":"VIC","region":"VIC"}}}`,
    'region',
    repeated,
  ],
  [
    'repeats a field with an escaped name',
    `{"type":"customer","record":{"id":"c5","name":"Bo","email":"b@c.d","n\\u0061me":"Bo"}}`,
    'name',
    repeated,
  ],
  [
    'repeats a field of a holder',
    `{"type":"banking.account","holders":[{"customerId":"c1","customerId":"c1"}],"record":{"accountId":"a5"}}`,
    'customerId',
    repeated,
  ],
  [
    'repeats the key of a deletion',
    '{"type":"product","delete":{"product_id":"p1","product_id":"p2"}}',
    'product_id',
    repeated,
  ],
  ['deletes without a key', '{"type":"customer","delete":{}}', 'delete.id', /^is required$/],
  ['deletes by a string', '{"type":"customer","delete":"c1"}', 'delete', /^must be an object$/],
  [
    'deletes with an incomplete key',
    '{"type":"banking.transaction","delete":{"accountId":"a1"}}',
    'delete.transactionId',
    /^is required$/,
  ],
  [
    'deletes with an unknown key field',
    '{"type":"banking.account","delete":{"accountId":"a1","id":"x"}}',
    'delete.id',
    noField,
  ],
]

describeOnce('holdfast load of invalid lines', () => {
  /** One load of all invalid lines, each after a valid and a blank line. */
  let run: Finished
  let all: string[]
  let unchanged: boolean
  const lineNumber = (index: number) => 3 * index + 3

  const scope = createScope({ after })
  before(async () => {
    const bank = await openBank(scope)
    await bank.fill(Object.values(createExamples()))
    const state = await bank.dump()
    const parts = invalidLines.flatMap(([, invalid], index) => [
      put.product(`q${index}`),
      '',
      invalid,
    ])
    const bytes = parts.flatMap((part) => [Buffer.from(part as string), Buffer.from('\n')])
    bank.write('invalid.ndjson', Buffer.concat(bytes))

    run = await bank.run(['load', 'invalid.ndjson', '--errors', 'errors.txt'])
    all = readFileSync(bank.path('errors.txt'), 'utf8').split('\n').slice(0, -1)
    unchanged = (await bank.dump()) === state
  })

  for (const [index, [name, , field, reason]] of invalidLines.entries()) {
    it(`rejects a line that ${name}`, () => {
      const place = `invalid.ndjson:${lineNumber(index)}: `

      const lineErrors = all.filter((error) => error.startsWith(place))
      const reasons = lineErrors
        .map((error) => error.slice(place.length))
        .filter((error) => error.startsWith(`${field}: `))
        .map((error) => error.slice(field.length + 2))

      assert.equal(reasons.length, 1, lineErrors.join('\n') || 'the line was accepted')
      assert.match(reasons[0] ?? '', reason)
    })
  }

  it('accepts the valid lines', () => {
    const invalid = new Set(invalidLines.keys().map(lineNumber))

    const unexpected = all.filter((error) => !invalid.has(Number(error.split(':')[1])))

    assert.deepEqual(unexpected, [])
  })

  it('reports errors as FILE:LINE: field: reason, in the order of the file', () => {
    const lines = all.map((error) => Number(error.split(':')[1]))

    for (const error of all) assert.match(error, /^invalid\.ndjson:\d+: [\w.[\]]+: \S.*\S$/)
    assert.deepEqual(
      lines,
      lines.toSorted((a, b) => a - b),
    )
  })

  it('prints the twenty most frequent causes and the counts, and writes all errors to the errors file', () => {
    const shown = run.stderr.split('\n').slice(0, -1)

    const counts = shown.slice(0, 20).map((cause) => Number(/^(\d+) × /.exec(cause)?.[1]))
    const rest = Number(/^and \d+ other causes, with (\d+) errors$/.exec(shown[20] ?? '')?.[1])
    const sum = counts.reduce((total, count) => total + count, rest)
    assert.equal(sum, all.length)
    // One of the lines is not UTF-8.
    assert.match(shown[21] ?? '', /^if the file is Windows-1252, convert it: iconv /)
    assert.match(shown[22] ?? '', new RegExp(`^${all.length} errors in \\d+ lines\\. `))
    assert.equal(shown.length, 23)
  })

  it('exits with 1, reports that nothing was changed, and changes nothing', () => {
    assert.match(run.stderr, / Nothing was changed\.\n$/)
    assert.deepEqual({ status: run.status, stdout: run.stdout }, { status: 1, stdout: '' })
    assert.ok(unchanged)
  })
})

describeOnce('holdfast load of a single invalid line', () => {
  it('reports all its errors', async (t) => {
    const bank = await openBank(t)

    const { status, stderr } = await bank.load([line('customer', { id: '', email: 7 })])

    assert.equal(status, 1)
    assert.equal(
      stderr,
      [
        '1 × name: is required (at data.ndjson:1)',
        '1 × id: must be a string of 1 to 256 printable characters (at data.ndjson:1)',
        '1 × email: must be an e-mail address (at data.ndjson:1)',
        '3 errors in 1 line. Nothing was changed.\n',
      ].join('\n'),
    )
  })

  it('rejects a deletion by neither id nor record for a type without a key', async (t) => {
    const bank = await openBank(t)

    for (const type of ['banking.directDebit', 'energy.billing']) {
      const { status, stderr } = await bank.load([`{"type":"${type}","delete":{"accountId":"a1"}}`])

      assert.match(stderr, /^1 × [\w.]+: .* \(at data(-\d)?\.ndjson:1\)$/m)
      assert.equal(status, 1)
    }
  })

  it('prints an error on one line for any field name', async (t) => {
    const bank = await openBank(t)
    const name = 'a\\nb\\u001b[2J'

    const unknown = await bank.load([`{"type":"customer","record":{"${name}":1}}`])
    const repeated = await bank.load([`{"type":"customer","record":{"${name}":1,"${name}":1}}`])

    for (const { stderr } of [unknown, repeated]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test asserts that there are none
      assert.doesNotMatch(stderr, /[\u0000-\u0009\u000b-\u001f]/)
      for (const shown of stderr.split('\n').slice(0, -2)) assert.match(shown, /^1 × /)
    }
  })
})
