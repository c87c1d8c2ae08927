import assert from 'node:assert/strict'
import { it } from 'node:test'
import { formatCount } from './format-count.ts'

it('formatCount separates groups of three digits', () => {
  const counts = [0, 7, 999, 1000, 12_345, 123_456, 1_234_567]

  assert.deepEqual(
    counts.map(formatCount),
    counts.map((count) => count.toLocaleString('en')),
  )
})
