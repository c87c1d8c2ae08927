import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOn, sharedOnEachEngine } from '../support/engines.ts'
import { faults } from './faults/index.ts'
import { claimsInMemory, openBank, optionsFor } from './provider.ts'

/** One mistake may break a neighbour's clause too, and not many. */
const othersMax = 3

describeOn('sqlite', 'a provider with one fault', () => {
  const bank = sharedOnEachEngine((scope) => openBank(scope, claimsInMemory()))

  for (const { name, seam, catches, strict = false } of faults) {
    it(`is caught where ${name}`, async () => {
      const { check } = await bank()

      const { results } = await check(seam, { strict, ...optionsFor(catches) })

      const failed = results.filter(({ judgement }) => judgement === 'fail').map(({ id }) => id)
      const others = failed.filter((id) => !catches.includes(id))
      assert.deepEqual(
        catches.filter((id) => !failed.includes(id)),
        [],
        `not caught; ${failed.join(', ')} failed`,
      )
      assert.ok(others.length <= othersMax, `these failed as well: ${others.join(', ')}`)
    })
  }
})
