import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openTokenBuckets } from './token-bucket.ts'

describe('budgets of names that callers choose', () => {
  it('remember the most recent names alone', () => {
    const budgets = openTokenBuckets(1, 60, 3, () => 0)

    for (const name of ['a', 'b', 'c', 'd']) budgets.take(name)

    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((name) => budgets.retryAfter(name)),
      [0, 60, 60, 60],
    )
  })

  it('do not keep the texts in memory that the names were cut from', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const budgets = openTokenBuckets(1, 60, 10_000, () => 0)
    collect()
    const before = process.memoryUsage().heapUsed

    for (let index = 0; index < 10_000; index += 1) {
      const header = Buffer.alloc(16 * 1024, `${index}-name-from-a-header `).toString('latin1')
      budgets.take(header.slice(0, 20))
    }
    collect()

    const grown = process.memoryUsage().heapUsed - before
    assert.ok(grown < 32 * 1024 * 1024, `${grown} bytes`)
    assert.ok(budgets.retryAfter('9999-name-from-a-hea') > 0)
  })
})
