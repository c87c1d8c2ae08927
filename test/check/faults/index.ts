import { type Operation, providerOperations } from '../../../src/contract/index.ts'
import { consistencyFaults } from './consistency.ts'
import { errorFaults } from './errors.ts'
import { type Fault, onSuccess } from './fault.ts'
import { filterFaults } from './filters.ts'
import { pagingFaults } from './paging.ts'
import { recordFaults } from './records.ts'
import { refusalFaults } from './refusals.ts'
import { tokenFaults } from './tokens.ts'

const specificFaults: readonly Fault[] = [
  ...tokenFaults,
  ...pagingFaults,
  ...filterFaults,
  ...errorFaults,
  ...recordFaults,
  ...consistencyFaults,
  ...refusalFaults,
]

/** The check of a response schema is derived from the contract, and so is a fault for it if there is no specific one. */
const schemaFaults = Object.values<Operation>(providerOperations).flatMap(({ ref }): Fault[] => {
  const detectedBy = [`schemas.${ref}`]
  const isCovered = specificFaults.some((fault) => fault.detectedBy.includes(`schemas.${ref}`))
  if (isCovered) return []
  return [{ name: `${ref} returns an empty object`, seam: onSuccess(() => ({}), ref), detectedBy }]
})

export const faults: readonly Fault[] = [...specificFaults, ...schemaFaults]
