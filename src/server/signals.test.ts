import assert from 'node:assert/strict'
import { it } from 'node:test'
import { abortLater } from './signals.ts'

it('a signal that aborts later aborts a while after the other, not at once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const controller = new AbortController()
  const later = abortLater(controller.signal, 1000)

  t.mock.timers.tick(1000)
  controller.abort()
  t.mock.timers.tick(999)
  assert.equal(later.aborted, false)
  t.mock.timers.tick(1)
  assert.equal(later.aborted, true)
})

it('a signal that aborts later also aborts if the other has aborted before', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const later = abortLater(AbortSignal.abort(), 1000)

  assert.equal(later.aborted, false)
  t.mock.timers.tick(1000)
  assert.equal(later.aborted, true)
})
