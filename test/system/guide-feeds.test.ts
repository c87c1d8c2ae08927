import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runServerGuide } from '../support/guide.ts'

describe('the guide Feeds', () => {
  it('has commands that print the documented output', async (t) => {
    const { printed, documented } = await runServerGuide(t, {
      file: 'feeds.md',
      role: 'intake',
      addressLine: 'INTAKE=http://127.0.0.1:8082\n',
    })

    assert.deepEqual(printed, documented)
    assert.equal(documented.filter((each) => each !== '').length, 7)
  })
})
