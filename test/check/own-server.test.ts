import assert from 'node:assert/strict'
import { it } from 'node:test'
import { countsOf } from '../../src/check/index.ts'
import { describe, sharedOnEachEngine } from '../support/engines.ts'
import { anaEmail } from './data.ts'
import { openBank } from './provider.ts'

describe('our own server', () => {
  const bank = sharedOnEachEngine(openBank)

  it('keeps every clause, and every choice as it was decided', async () => {
    const { check } = await bank()

    const report = await check({}, { strict: true, emails: [anaEmail] })

    const others = report.results.filter(({ judgement }) => judgement !== 'pass')
    assert.deepEqual(
      others.map(({ id, reason }) => `${id}: ${reason}`),
      [],
    )
    assert.ok(countsOf(report).pass > 150)
  })
})
