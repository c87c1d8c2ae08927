import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { explainReason } from '../../src/console/pages/monitoring/reasons.ts'
import {
  rejectionReasons,
  thirdPartyRejectionTitles,
} from '../../src/contract/rejection-reasons.ts'
import { requestLimits } from '../../src/contract/request-limits.ts'

describe('the reasons of rejected requests in the console', () => {
  it('have a heading in plain words for every reason of a rejected token', () => {
    const reasons = [...rejectionReasons, ...Object.keys(thirdPartyRejectionTitles)]
    for (const reason of reasons) {
      assert.match(explainReason(reason) ?? '', /^[A-Z][a-zA-Z]+ [a-zA-Z ,]+$/, reason)
    }
    assert.equal(explainReason('iss'), 'Issuer does not match')
  })

  it('name what a limit counts', () => {
    for (const [limit, counted] of Object.entries(requestLimits)) {
      assert.equal(explainReason(`over the limit ${limit}`), `Over a limit: ${counted}`)
    }
  })

  it('are in words for pages that only have a status', () => {
    assert.equal(
      explainReason('status 422'),
      'A customer entered something that the page did not accept',
    )
    assert.equal(explainReason('status 418'), 'Client error')
    assert.equal(explainReason('status 500'), 'Internal error')
  })

  it('stay as they are if they are in plain words, or not known', () => {
    for (const reason of ['Customer not found', 'constructor', '__proto__', '']) {
      assert.equal(explainReason(reason), undefined)
    }
  })
})
