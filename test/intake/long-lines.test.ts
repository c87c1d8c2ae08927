import assert from 'node:assert/strict'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { batchLineBytesMax, nestingMax, problemsMax } from '../../src/contract/index.ts'
import { put } from '../load/lines.ts'
import { describe } from '../support/engines.ts'
import { sharedIntake } from '../support/intake.ts'

const shared = sharedIntake()

/** Sends a compressed line, and asserts that it is invalid. Returns the fields and the reasons of its errors. */
async function sendInvalid(line: string): Promise<{ field: string; reason: string }[]> {
  const intake = await shared()
  const sent = intake.put('long', 1, gzipSync(`${line}\n`), { 'content-encoding': 'gzip' })
  const live = await intake.send('/health/live')
  const answer = await sent

  assert.equal(live.status, 200)
  assert.equal(answer.status, 422, answer.text)
  return answer.body.errors.map(({ field, reason }: { field: string; reason: string }) => ({
    field,
    reason,
  }))
}

/** A line with as many of the elements as it may contain. */
function fillLine(head: string, element: (index: number) => string, tail: string): string {
  const elements: string[] = []
  let length = head.length + tail.length
  for (let index = 0; length < batchLineBytesMax - 100; index += 1) {
    const text = element(index)
    elements.push(text)
    length += text.length + 1
  }
  return `${head}${elements.join(',')}${tail}`
}

describe('a line that would take long to read', () => {
  it('is rejected before it is parsed, if it is nested deeply', async () => {
    const levels = 100_000
    for (const record of [
      `${'['.repeat(levels)}${']'.repeat(levels)}`,
      `${'{"a":'.repeat(levels / 2)}1${'}'.repeat(levels / 2)}`,
      '['.repeat(levels),
    ]) {
      assert.deepEqual(await sendInvalid(`{"type":"customer","record":${record}}`), [
        { field: '', reason: `must not be nested deeper than ${nestingMax} levels` },
      ])
    }
  })

  it('is rejected before it is parsed, if it is too long', async () => {
    const reason = `must be at most ${batchLineBytesMax} bytes long`
    const deep = `${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}`
    for (const line of [
      put.customer('c1').padEnd(batchLineBytesMax + 1),
      `{"type":"customer","record":${deep}}`,
    ]) {
      assert.deepEqual(await sendInvalid(line), [{ field: '', reason }])
    }

    const longest = put.customer('c1').padEnd(batchLineBytesMax)
    assert.equal((await (await shared()).put('longest', 1, [longest])).status, 200)
  })

  it('is rejected with its first errors, if it has very many', async () => {
    const account = JSON.stringify(JSON.parse(put.account('a1', ['c1'])).record)
    for (const line of [
      fillLine('{"type":"customer","record":{', (index) => `"f${index}":1`, '}}'),
      fillLine('{"type":"customer",', (index) => `"f${index}":1`, '}'),
      fillLine('{"type":"product","record":{"features":[', () => '{}', ']}}'),
      fillLine(
        '{"type":"banking.account","holders":[',
        () => '{"customerId":"c1"}',
        `],"record":${account}}`,
      ),
    ]) {
      const errors = await sendInvalid(line)
      assert.equal(errors.length, problemsMax + 1)
      assert.deepEqual(errors.at(-1), {
        field: '',
        reason: `has more errors than these ${problemsMax}`,
      })
    }
  })
})
