import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseMetrics } from './parse-metrics.ts'

it('parses the labels of a line, with escapes and spaces between them', () => {
  const line = String.raw`requests{operation="P4", path="a\"b\\c\n",} 3`
  const [parsed] = parseMetrics(line).values()

  assert.deepEqual(Object.fromEntries(parsed?.labels ?? []), {
    operation: 'P4',
    path: 'a"b\\c\n',
  })
  assert.equal(parsed?.value, 3)
})

it('takes little time for a long text that is not a label', () => {
  const start = process.cpuUsage()
  parseMetrics(`x{${'a'.repeat(200_000)}} 1`)

  // Quadratic time would be more than a minute.
  assert.ok(process.cpuUsage(start).user < 2_000_000)
})
