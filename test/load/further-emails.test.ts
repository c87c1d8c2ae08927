import assert from 'node:assert/strict'
import { it } from 'node:test'
import { customerEmailsMax } from '../../src/contract/limits.ts'
import { describe } from '../support/engines.ts'
import { openBank, splitLines } from './bank.ts'
import { line, put } from './lines.ts'

const customer = (id: string, emails?: unknown, fields: object = {}) =>
  line('customer', { id, name: 'Firm', email: 'firm@example.com', ...fields }, { emails })

describe('the further e-mail addresses of a customer', () => {
  it('count as a change of the customer, whatever changes about them', async (t) => {
    const bank = await openBank(t)
    await bank.fill(['c1', 'c2', 'c3', 'c4', 'c5'].map((id) => customer(id, ['a@x.example'])))

    const { stdout } = await bank.load([
      customer('c1', ['a@x.example']),
      customer('c2', ['a@x.example', 'b@x.example']),
      customer('c3', ['A@x.example']),
      customer('c4'),
      customer('c5', []),
      customer('c6', ['a@x.example']),
      customer('c6', ['b@x.example']),
      customer('c6', ['b@x.example']),
      customer('c7'),
      customer('c7', []),
    ])

    assert.match(stdout, /^customer +2 +5 +3 +0$/m)
  })

  it('are dumped as they were loaded, and restored', async (t) => {
    const bank = await openBank(t)
    const lines = [
      customer('c1', ['B@X.example', 'a@bücher.example', 'B@X.example']),
      put.customer('c2'),
      customer('c3', ['c@x.example'], { email: undefined }),
    ]
    await bank.fill(lines)

    const dump = await bank.dump()
    const restored = await openBank(t)
    await restored.fill(dump)

    assert.deepEqual(splitLines(dump), lines)
    assert.equal(await restored.dump(), dump)
  })

  it('do not decide whether a line is about the same person', async (t) => {
    const bank = await openBank(t)
    await bank.fill([customer('c1', ['agent@example.com'])])
    const other = { name: 'Other', email: 'agent@example.com' }

    const { status, stderr } = await bank.load([customer('c1', ['firm@example.com'], other)])

    assert.equal(status, 1)
    assert.match(stderr, /id: belonged to another person/)
  })

  it('let a customer without an own address be found, so that there is no warning', async (t) => {
    const bank = await openBank(t)

    const { stdout } = await bank.load([
      customer('c1', ['a@x.example'], { email: undefined }),
      customer('c2', [], { email: undefined }),
    ])

    assert.match(stdout, /^1 customer has no e-mail address/m)
  })

  const many = Array.from({ length: customerEmailsMax }, (_, index) => `p${index}@x.example`)

  it(`are at most ${customerEmailsMax}`, async (t) => {
    const bank = await openBank(t)

    await bank.fill([customer('c1', many)])
    const { stderr } = await bank.load([customer('c1', [...many, 'one@more.example'])])

    assert.match(stderr, new RegExp(`emails: must be .*\\b${customerEmailsMax}\\b`))
  })

  for (const [name, emails, path] of [
    ['not a list', 'a@x.example', 'emails'],
    ['null', null, 'emails'],
    ['a list with text that is no address', ['a@x.example', 'b'], 'emails[1]'],
    ['a list with an empty text', [''], 'emails[0]'],
    ['a list with a number', [7], 'emails[0]'],
    ['a list with an address that is too long', [`${'x'.repeat(320)}@x.example`], 'emails[0]'],
    ['a list with U+0000', ['a\0@x.example'], 'emails[0]'],
  ] as const) {
    it(`are rejected if they are ${name}, by the name of the field`, async (t) => {
      const bank = await openBank(t)
      bank.write('data.ndjson', [customer('c1', emails)])

      const [error = '', ...others] = await bank.listErrors(['data.ndjson'])

      assert.ok(error.startsWith(`data.ndjson:1: ${path}: must `), error)
      assert.deepEqual(others, [])
    })
  }

  it('are no fields of a record, of another type or of a deletion', async (t) => {
    const bank = await openBank(t)
    const emails = ['a@x.example']
    bank.write('data.ndjson', [
      line('customer', { id: 'c1', name: 'Firm', emails }),
      line('banking.balance', { ...JSON.parse(put.balance('a1')).record }, { emails }),
      JSON.stringify({ type: 'customer', delete: { id: 'c1' }, emails }),
    ])

    const errors = await bank.listErrors(['data.ndjson'])

    assert.deepEqual(
      errors.map((error) => error.split(':', 3).slice(1).join(':')),
      ['1: emails', '2: emails', '3: emails'],
    )
  })

  it('have columns in a table, and a mapping function can return them', async (t) => {
    const bank = await openBank(t)
    const expected = [
      '{"type":"customer","emails":["a@x.example","b@x.example"],"record":{"id":"c1","name":"Ana"}}',
      '{"type":"customer","emails":["b@x.example"],"record":{"id":"c2","name":"Bo"}}',
      '{"type":"customer","record":{"id":"c3","name":"Cy"}}',
    ]
    bank.write('typed.csv', [
      'id,name,emails[0],emails[1]',
      'c1,Ana,a@x.example,b@x.example',
      'c2,Bo,,b@x.example',
      'c3,Cy,,',
    ])
    const typed = await bank.loadFiles(['typed.csv'], '--type', 'customer')
    const other = await openBank(t)
    other.write('mapped.csv', [
      'Id,Name,Agents',
      'c1,Ana,a@x.example b@x.example',
      'c2,Bo,b@x.example',
      'c3,Cy,',
    ])
    other.write(
      'map.ts',
      `import type { MapRow } from 'holdfast/contract'
       const map: MapRow = ({ Id = '', Name = '', Agents = '' }) => ({
         type: 'customer', emails: Agents.split(' ').filter(Boolean), record: { id: Id, name: Name } })
       export default map`,
    )
    const mapped = await other.loadFiles(['mapped.csv'], '--map', other.path('map.ts'))

    assert.deepEqual([typed.stderr, mapped.stderr], ['', ''])
    assert.deepEqual(splitLines(await bank.dump()), expected)
    assert.deepEqual(splitLines(await other.dump()), expected)
  })
})
