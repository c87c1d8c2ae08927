import assert from 'node:assert/strict'
import { it } from 'node:test'
import { findPageRecords, type Operation, providerOperations } from '../../src/contract/index.ts'
import { describeOn, shareOnEachEngine } from '../support/engines.ts'
import type { Fault } from './faults/fault.ts'
import { faults } from './faults/index.ts'
import { onlyChecks, openBank, openMemoryReplayStore } from './provider.ts'

/** A fault may break a few other clauses as well. */
const othersMax = 3

/** A check that requests every operation. */
const checkOfEveryOperation = 'tokens.jti.replayed'

/** The references of all paged lists. */
const lists = Object.values<Operation>(providerOperations)
  .filter(({ response }) => findPageRecords(response))
  .map(({ ref }) => ref)

/** Checks of all lists run with this one unless a fault is in others: it has filters and a window. */
const typicalList = 'B3'

/**
 * To save time, a fault runs only with the checks that must detect it and those whose requests they need, and checks of
 * all lists run with the accounts and one more list. Checks of schemas and conventions also need responses of the operations that have the fault.
 */
function chooseOptions({ seam, detectedBy, requires = [], strict = false }: Fault) {
  const { refs = [] } = seam
  const groups = new Set(detectedBy.map((id) => id.split('.')[0] ?? ''))
  const needsResponses = groups.has('schemas') || groups.has('wire')
  const isOfLists = groups.size === 1 && groups.has('paging')
  const listed = refs.length > 0 ? refs : [typicalList]
  const accounts = listed.some((ref) => ref.startsWith('E')) ? 'E1' : 'B1'
  const requesting =
    refs.length > 0 ? refs.map((ref) => `schemas.${ref}`) : [checkOfEveryOperation, 'schemas']
  return {
    strict,
    ...onlyChecks(...detectedBy, ...requires, ...(needsResponses ? ['wire', ...requesting] : [])),
    ...(isOfLists && {
      capabilities: lists
        .filter((ref) => ref !== accounts && !listed.includes(ref))
        .map((ref) => `no-${ref}` as const),
    }),
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

  for (const [faultName, quoted] of [
    ['iss is ignored', /iss "another-provider", expected "bank"/],
    ['sub is ignored', /sub missing, expected "bank"/],
    ['aud with a trailing slash is accepted', /aud "(http\S+)\/", expected "\1"/],
  ] as const) {
    it(`is reported with the claim that it accepted, and the one to expect: ${faultName}`, async () => {
      const { check } = await bank()
      const fault = faults.find(({ name }) => name === faultName)
      assert.ok(fault)

      const { results } = await check(fault.seam, chooseOptions(fault))

      assert.match(results.flatMap(({ reason = '' }) => reason).join('\n'), quoted)
    })
  }
})
