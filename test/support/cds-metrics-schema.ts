import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { dateTime, listOf, object, type Schema, text, uri } from './cds-schema-types.ts'

const natural: Schema = { type: 'integer', minimum: 0 }
const number: Schema = { type: 'number', minimum: 0 }
const rate: Schema = { type: 'string', pattern: '^\\d{1,16}(\\.\\d{1,16})?$' }
const errors: Schema = {
  type: 'object',
  propertyNames: { pattern: '^[45]\\d\\d$' },
  additionalProperties: natural,
}
const individuals = object({ individual: natural, nonIndividual: natural })

const days = (value: Schema) =>
  object({}, { currentDay: value, previousDays: { ...listOf(value), maxItems: 7 } })
const months = object({}, { currentMonth: rate, previousMonths: { ...listOf(rate), maxItems: 12 } })

const split = (value: Schema) =>
  object({ aggregate: value, unauthenticated: value, authenticated: value })
const tiers = ['unauthenticated', 'highPriority', 'lowPriority', 'unattended', 'largePayload']
const perTier = (value: Schema, more: Readonly<Record<string, Schema>> = {}) =>
  object(Object.fromEntries(tiers.map((tier) => [tier, value])), more)

const stages = [
  'preIdentification',
  'preAuthentication',
  'preAccountSelection',
  'preAuthorisation',
  'rejected',
  'failedTokenExchange',
]

/**
 * The response of Get Metrics, written by hand from the field tables of the Consumer Data Standards 1.36.0 (version 5) and from
 * those of version 4, without the tiers and counts of secondary data holders.
 */
export function compileMetricsSchema(version: 4 | 5): ValidateFunction {
  const isFive = version === 5
  const ajv = new Ajv2020({
    strict: false,
    formats: { uri: (value: string) => URL.canParse(value), 'date-time': isDateTime },
  })
  const authorisations = {
    activeAuthorisationCount: individuals,
    newAuthorisationCount: days(object({ onceOff: individuals, ongoing: individuals })),
    revokedAuthorisationCount: days(individuals),
    amendedAuthorisationCount: days(individuals),
    expiredAuthorisationCount: days(individuals),
    abandonedConsentFlowCount: days(natural),
    ...(isFive && {
      abandonmentsByStage: object(
        Object.fromEntries(stages.map((stage) => [stage, days(natural)])),
      ),
    }),
  }
  const data = object({
    requestTime: dateTime,
    availability: split(months),
    performance: isFive ? perTier(days(listOf(rate)), { aggregate: days(rate) }) : days(rate),
    invocations: perTier(days(natural)),
    averageResponse: perTier(days(number)),
    sessionCount: days(natural),
    averageTps: split(days(number)),
    peakTps: split(days(number)),
    errors: object({
      aggregate: days(natural),
      unauthenticated: days(errors),
      authenticated: days(errors),
    }),
    rejections: object({ authenticated: days(natural), unauthenticated: days(natural) }),
    customerCount: natural,
    recipientCount: natural,
    authorisations: object(authorisations),
  })
  return ajv.compile(object({ data, links: object({ self: uri }) }, { meta: { type: 'object' } }))
}

/** The list of errors of the standards. */
export function compileErrorSchema(): ValidateFunction {
  const error = object({ code: text, title: text, detail: text }, { meta: { type: 'object' } })
  return new Ajv2020({ strict: false }).compile(object({ errors: listOf(error) }))
}

function isDateTime(value: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
}
