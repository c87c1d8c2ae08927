import assert from 'node:assert/strict'
import { it } from 'node:test'
import { backOff } from './back-off.ts'

it('doubles the pause with each failure, up to the longest', () => {
  assert.deepEqual(
    [1, 2, 3, 6, 7, 2000].map((failures) => backOff(failures, 1, 60)),
    [1, 2, 4, 32, 60, 60],
  )
})
