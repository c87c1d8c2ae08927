/** Facts that the command line and the documentation share. This file imports nothing, so that `--help` is fast. */

export const checkDefaults = {
  rate: 20,
  timeoutMs: 30_000,
  keyWaitMs: 0,
  replayAfterMs: 5000,
  profile: 'full',
  timeZone: 'UTC',
} as const

/** What a provider may leave out intentionally. The corresponding checks are skipped. */
export const namedCapabilities = {
  'no-banking': 'an energy retailer: no operations about bank accounts',
  'no-energy': 'a bank: no operations about energy accounts',
  'no-contact': 'no contact endpoint',
  'no-text-filter': 'B3 does not filter by text, and says so in meta.isQueryParamUnsupported',
  'account-version-3': 'the provider still returns version 3 of the banking account',
} as const

/**
 * The parameters that the interface describes and does not name, under the names that Holdfast uses
 * (docs/decisions/0004-parameter-names.md). A provider may use others: `--parameter` sets them.
 */
export const unnamedParameters = {
  'B3.oldest-time': 'the lower time bound of B3',
  'B3.min-amount': 'the minimum amount of B3',
  'B3.max-amount': 'the maximum amount of B3',
  'B3.text': 'the text filter of B3',
  'E3.oldest-date': 'the lower date bound of E3',
  'E3.newest-date': 'the upper date bound of E3',
} as const
