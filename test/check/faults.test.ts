import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOn, shareOnEachEngine } from '../support/engines.ts'
import { faults } from './faults/index.ts'
import { openBank, openMemoryReplayStore, optionsFor } from './provider.ts'

/** A fault may break a few other clauses as well. */
const othersMax = 3

describeOn('sqlite', 'a provider with one fault', () => {
  const bank = shareOnEachEngine((scope) => openBank(scope, openMemoryReplayStore()))

  for (const { name, seam, detectedBy, strict = false } of faults) {
    it(`is detected where ${name}`, async () => {
      const { check } = await bank()

      const { results } = await check(seam, { strict, ...optionsFor(detectedBy) })

      const failed = results.filter(({ judgement }) => judgement === 'fail').map(({ id }) => id)
      const others = failed.filter((id) => !detectedBy.includes(id))
      assert.deepEqual(
        detectedBy.filter((id) => !failed.includes(id)),
        [],
        `not detected; these checks failed: ${failed.join(', ')}`,
      )
      assert.ok(others.length <= othersMax, `these checks failed as well: ${others.join(', ')}`)
    })
  }
})
