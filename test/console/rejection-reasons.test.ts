import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rejectionReasons } from '../../src/auth/rejection-reasons.ts'
import { explainReason } from '../../src/console/pages/monitoring/reasons.ts'

describe('the reasons of rejected requests in the console', () => {
  it('are sentences for every reason of a rejected token', () => {
    for (const reason of rejectionReasons) {
      assert.match(explainReason(reason) ?? '', /^The [a-zA-Z ,]+$/, reason)
    }
  })

  it('are sentences for pages that only have a status', () => {
    assert.equal(
      explainReason('status 422'),
      'A customer entered something that the page did not accept',
    )
    assert.equal(explainReason('status 418'), 'The response had the status 418')
    assert.equal(explainReason('Customer not found'), undefined)
  })
})
