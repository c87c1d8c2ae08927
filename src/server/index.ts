/** A provider in the process of another program, with data from a source of that program. */

export { fromArrays } from '../provider/source/from-arrays.ts'
export { withRestrictions } from '../provider/source/restrictions.ts'
export {
  type AccountQuery,
  type AccountsQuery,
  type CategoryFilter,
  type CustomerQuery,
  type MissingFrom,
  missing,
  type OwnershipFilter,
  refused,
  type Source,
  type SourcePage,
  type StatusFilter,
  type TimeBounds,
  type TransactionFilters,
  type TransactionPage,
  type WithheldContact,
} from '../provider/source/source.ts'
export { SourceUnavailable } from '../provider/source/source-error.ts'
export { createProvider, type Provider } from './create-provider.ts'
export type { GuardOptions, ProviderOptions, ProviderSettings } from './provider-options.ts'
