import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openTokenBuckets } from './token-bucket.ts'

describe('token buckets', () => {
  it('evict the least recently used keys', () => {
    const buckets = openTokenBuckets(1, 60, 3, () => 0)

    for (const key of ['a', 'b', 'c', 'd']) buckets.take(key)

    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((key) => buckets.retryAfter(key)),
      [0, 60, 60, 60],
    )
  })

  it('do not keep the strings in memory that keys are substrings of', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const buckets = openTokenBuckets(1, 60, 10_000, () => 0)
    collect()
    const before = process.memoryUsage().heapUsed

    for (let index = 0; index < 10_000; index += 1) {
      const header = Buffer.alloc(16 * 1024, `${index}-key-from-a-header `).toString('latin1')
      buckets.take(header.slice(0, 20))
    }
    collect()

    const grown = process.memoryUsage().heapUsed - before
    assert.ok(grown < 32 * 1024 * 1024, `${grown} bytes`)
    assert.ok(buckets.retryAfter('9999-key-from-a-head') > 0)
  })
})
