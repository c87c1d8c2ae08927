/** What the command line and the documents also tell of the tester. It imports nothing, so that help is quick. */

export const checkDefaults = {
  rate: 20,
  timeoutMs: 30_000,
  keyWaitMs: 0,
  replayAfterMs: 5000,
  profile: 'full',
  timeZone: 'UTC',
} as const

/** What a provider may leave out on purpose, and what is then not asked of it. */
export const namedCapabilities = {
  'no-banking': 'it is an energy retailer: B1 to B6 and C4 are left out',
  'no-energy': 'it is a bank: E1 to E5 are left out',
  'no-contact': 'the contact endpoint is left out',
  'no-text-filter': 'B3 does not filter by text, and says so in meta.isQueryParamUnsupported',
  'account-version-3': 'B1 still answers with version 3 of the banking account',
} as const

/**
 * The parameters that the interface has and does not name. These are Holdfast's names for them
 * (docs/decisions/0004-parameter-names.md); a provider may have others, and the tester is told.
 */
export const unnamedParameters = {
  'B3.oldest-time': 'the lower bound of B3',
  'B3.min-amount': 'the least amount of B3',
  'B3.max-amount': 'the largest amount of B3',
  'B3.text': 'the text filter of B3',
  'E3.oldest-date': 'the lower bound of E3',
  'E3.newest-date': 'the upper bound of E3',
} as const
