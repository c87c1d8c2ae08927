import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runPromtool } from '../support/promtool.ts'

describe('the alerts for Prometheus', () => {
  it('have no errors', async () => {
    assert.match(await runPromtool(['check', 'rules', 'holdfast.rules.yml']), /SUCCESS: \d+ rules/)
  })

  it('fire when they should, and not before', async () => {
    assert.match(await runPromtool(['test', 'rules', 'holdfast.rules.test.yml']), /SUCCESS/)
  })
})
