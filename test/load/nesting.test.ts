import assert from 'node:assert/strict'
import { it } from 'node:test'
import { nestingMax } from '../../src/contract/index.ts'
import { describeOnce } from '../support/engines.ts'
import { openBank } from './bank.ts'
import { put } from './lines.ts'

function nest(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`
}

/** A line with an unknown field that makes it as deep as this. */
function nestLine(levels: number): string {
  return put.customer('c1').replace('"record":{', `"record":{"more":${nest(levels - 2)},`)
}

describeOnce('holdfast load of nested lines', () => {
  it('rejects a record with a million levels', async (t) => {
    const bank = await openBank(t)
    const deep = nest(1_000_000)

    const { status, stderr } = await bank.load([
      `{"type":"customer","record":${deep}}`,
      `{"type":"customer","record":{"id":${deep.replaceAll('[', '{"a":').replaceAll(']', '}')}}}`,
    ])

    assert.match(
      stderr,
      /^2 × line: must not be nested deeper than 64 levels \(first at data\.ndjson:1\)$/m,
    )
    assert.equal(status, 1)
  })

  it(`accepts ${nestingMax} levels, and no more`, async (t) => {
    const bank = await openBank(t)

    const accepted = await bank.load([nestLine(nestingMax)], '--unknown-fields', 'drop')
    const rejected = await bank.load([nestLine(nestingMax + 1)], '--unknown-fields', 'drop')

    assert.equal(accepted.status, 0, accepted.stderr)
    assert.match(rejected.stderr, /^1 × line: must not be nested deeper than 64 levels /)
  })

  it('does not count what ends before, nor brackets in a text', async (t) => {
    const bank = await openBank(t)
    const name = `\\"${'[{'.repeat(nestingMax)}`
    const holders = Array.from({ length: nestingMax + 1 }, (_, at) => `c${at}`)
    const customers = holders.map((id) => put.customer(id, { email: `${id}@example.com`, name }))

    await bank.fill([...customers, put.account('a1', holders)])

    assert.equal((await bank.dump()).split('\n').length - 1, holders.length + 1)
  })
})
