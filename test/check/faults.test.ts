import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { CheckOptions } from '../../src/check/index.ts'
import { describeOn, shareOnEachEngine } from '../support/engines.ts'
import type { Fault } from './faults/fault.ts'
import { faults } from './faults/index.ts'
import { onlyChecks, openBank, openMemoryReplayStore } from './provider.ts'

/** A fault may break a few other clauses as well. */
const othersMax = 3

/** Checks of everything that happened during the run. They need other checks of their group. */
const checksOfWholeRun = ['tokens.jti.kept', 'errors.body']

/** A check that requests every operation. */
const checkOfEveryOperation = 'tokens.jti.replayed'

/**
 * To save time, a fault runs only with the checks that must detect it, and checks of all lists only with those of one
 * kind of account. Checks of schemas and conventions also need responses of the operations that have the fault.
 */
function chooseOptions({ seam, detectedBy, strict = false }: Fault): Partial<CheckOptions> {
  const { refs = [] } = seam
  const groups = new Set(detectedBy.map((id) => id.split('.')[0] ?? ''))
  const needsResponses = groups.has('schemas') || groups.has('wire')
  const isOfLists = groups.size === 1 && groups.has('paging')
  const isOfEnergy = refs.length > 0 && refs.every((ref) => ref.startsWith('E'))
  const requesting =
    refs.length > 0 ? refs.map((ref) => `schemas.${ref}`) : [checkOfEveryOperation, 'schemas']
  return {
    strict,
    ...onlyChecks(
      ...(detectedBy.some((id) => checksOfWholeRun.includes(id)) ? groups : detectedBy),
      ...(needsResponses ? ['wire', ...requesting] : []),
    ),
    ...(isOfLists && { capabilities: [isOfEnergy ? 'no-banking' : 'no-energy'] }),
  }
}

describeOn('sqlite', 'a provider with one fault', () => {
  const bank = shareOnEachEngine((scope) => openBank(scope, openMemoryReplayStore()))

  for (const fault of faults) {
    it(`is detected where ${fault.name}`, async () => {
      const { check } = await bank()
      const { detectedBy } = fault

      const { results } = await check(fault.seam, chooseOptions(fault))

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
