import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runServerGuide } from '../support/guide.ts'

describe('the catalogue guide', () => {
  it('has commands that print the documented output', async (t) => {
    const { printed, documented } = await runServerGuide(t, {
      file: 'catalogue.md',
      role: 'platform',
      addressLine: 'PLATFORM=http://127.0.0.1:8081\n',
    })

    assert.deepEqual(printed, documented)
    assert.ok(documented.filter((each) => each !== '').length > 10)
  })
})
