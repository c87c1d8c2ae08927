/** The ranges of the history of calls, and the periods that each consists of. */
export const usageRanges = {
  '10m': { title: '10 minutes', unit: 'minute', periods: 10 },
  '1h': { title: '1 hour', unit: 'minute', periods: 60 },
  '24h': { title: '24 hours', unit: 'hour', periods: 24 },
  '30d': { title: '30 days', unit: 'day', periods: 30 },
} as const
export type UsageRange = keyof typeof usageRanges
export const usageRangeNames = Object.keys(usageRanges) as readonly UsageRange[]

/** What each number of the history counts. The API reference and the console show these texts. */
export const usageDefinitions = {
  calls:
    'Requests of third parties to endpoints of the Consumer Data Standards, whatever the answer: data, products, status and outages, OAuth and OpenID Connect, arrangement revocation, and the endpoints of the register. Pages of the consent flow are not counted.',
  errors: 'Calls that failed with a status of 500 or more.',
  clientErrors:
    'Calls with a status from 400 to 498, such as an invalid request or an expired token, with those over a limit.',
  rejections:
    'Calls that got the status 429 because of a limit of third parties or of the data provider. Calls that the platform rejects because of overload are errors.',
  sessions:
    'Access tokens issued: successful responses of the token endpoint, also for a refresh token.',
  peak: 'The most calls in one second, of all processes together.',
  latency:
    'The time from a request to the end of its response, measured in the platform. A percentile is estimated from the numbers of calls up to 10, 25, 50, 100 and 200 % of the response time of their tier; longer calls count as 200 %. Calls over a limit are left out.',
  consentFlows:
    'Attempts of customers to give a consent, counted when they have ended. Requests that were rejected before the customer arrived are no flows.',
  exchanged: 'Consent flows after which the third party got tokens.',
  abandoned:
    'Consent flows that led to no tokens: the customer cancelled, or 21 minutes have passed.',
  preIdentification: 'Abandoned before a passcode was sent to an e-mail address.',
  preAuthentication: 'Abandoned before the correct passcode.',
  preAccountSelection: 'Abandoned before accounts were chosen.',
  preAuthorisation: 'Abandoned before the consent was confirmed.',
  failedTokenExchange: 'Confirmed, but the third party did not exchange the code for tokens.',
  rejected: 'The customer chose to cancel, in any step.',
  outage:
    'Minutes in which no process of the platform ran, or more than half of the calls failed with a status of 500 or more, without planned outages.',
  plannedOutage: 'A time in `HOLDFAST_OUTAGES_FILE`.',
  start: 'A server that uses the database of the platform was started.',
  load: 'A `holdfast load` into the database of the platform was committed.',
  keyAdded: 'A signing key of the platform was added.',
  keyRetired: 'A signing key of the platform was retired.',
} as const
export type UsageDefinition = keyof typeof usageDefinitions

export const markKinds = [
  'start',
  'load',
  'keyAdded',
  'keyRetired',
  'outage',
  'plannedOutage',
] as const satisfies readonly UsageDefinition[]
export type MarkKind = (typeof markKinds)[number]

/** How many marks and third parties a response has. */
export const marksMax = 200
export const listedThirdPartiesMax = 100
