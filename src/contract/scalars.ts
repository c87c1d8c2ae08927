import { epochNanoseconds, hasTemporal, plainEpochSeconds } from './date-time.ts'
import { emailLengthMax, idLengthMax } from './limits.ts'
import { Type } from './type.ts'

/**
 * The string formats of the interface. `mustBe` completes the sentence "field must be …"; `schema` is the
 * JSON Schema in the OpenAPI document. Every alternative states its type: client generators do not combine it
 * with the type beside `anyOf`.
 */
export interface Scalar {
  readonly mustBe: string
  readonly test: (text: string) => boolean
  /** Continues `mustBe` with a limit of Holdfast, if that is why the text is rejected. */
  readonly limit?: (text: string) => string | undefined
  readonly schema: StringSchema | { readonly anyOf: readonly StringSchema[] }
}

interface StringSchema {
  readonly type: 'string'
  readonly [keyword: string]: unknown
}

const uuidPattern = '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
const webUriPattern = `^[Hh][Tt][Tt][Pp][Ss]?://(?:[\\w.~:/?#[\\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$`
const idPattern = `^[^\\p{Cc}\\p{Cs}]{1,${idLengthMax}}$`

const date = /^\d{4}-\d\d-\d\d$/
const monthDay = /^\d\d-\d\d$/
const zone = '(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)'
/** Nanoseconds. More digits would be lost in comparisons. */
const fractionDigitsMax = 9
const minutes = '\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d'
const fraction = `(?:\\.\\d{1,${fractionDigitsMax}})?`
const dateTime = new RegExp(`^${minutes}:[0-5]\\d${fraction}${zone}$`)
const leapSecond = new RegExp(`^${minutes}:60${fraction}${zone}$`)
const localDateTime = new RegExp(`^${minutes}:[0-5]\\d${fraction}$`)
const longFraction = new RegExp(`:\\d\\d\\.\\d{${fractionDigitsMax + 1},}`)
const duration = /^P[0-9YMWDTHS.]+$/
const email = /^[^\s@,;<>]+@[^\s@,;<>]+$/

/**
 * Temporal validates the calendar but accepts more formats than the interface, so the pattern is checked first. In a
 * browser without Temporal, only the pattern is checked, and the server rejects the rest.
 */
function parses(pattern: RegExp, parse: (text: string) => unknown): (text: string) => boolean {
  return (text) => {
    if (!pattern.test(text)) return false
    if (!hasTemporal()) return true
    try {
      parse(text)
      return true
    } catch {
      return false
    }
  }
}

const isAnyDateTime = parses(dateTime, epochNanoseconds)
const isDateTime = (text: string) =>
  !Number.isNaN(plainEpochSeconds(text)) || isAnyDateTime(text) || isLeapSecond(text)
const isLocalDateTime = parses(localDateTime, (text) => Temporal.PlainDateTime.from(text))
const isDate = parses(date, (text) => Temporal.PlainDate.from(text))
const isMonthDay = parses(monthDay, (text) => Temporal.PlainMonthDay.from(text))
const isDuration = parses(duration, (text) => Temporal.Duration.from(text))

/** Leap seconds are inserted at 23:59:60 UTC. Temporal reads second 60 of any minute as second 59. */
function isLeapSecond(text: string): boolean {
  if (!parses(leapSecond, epochNanoseconds)(text)) return false
  if (!hasTemporal()) return true
  const { hour, minute } = Temporal.Instant.from(text).toZonedDateTimeISO('UTC')
  return hour === 23 && minute === 59
}

const isWebUriText = matches(webUriPattern)

function fractionLimit(text: string): string | undefined {
  if (!longFraction.test(text)) return undefined
  return `with at most ${fractionDigitsMax} fraction digits`
}

function matches(pattern: string): (text: string) => boolean {
  const expression = new RegExp(pattern, 'u')
  return (text) => expression.test(text)
}

const dateSchema = { type: 'string', format: 'date' } as const
const dateTimeSchema = { type: 'string', format: 'date-time' } as const

function patterned(mustBe: string, pattern: string): Scalar {
  return { mustBe, test: matches(pattern), schema: { type: 'string', pattern } }
}

export const scalars = {
  id: {
    mustBe: `a string of 1 to ${idLengthMax} printable characters`,
    test: matches(idPattern),
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: idLengthMax,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
    },
  },
  feedName: patterned(
    '1 to 64 letters, digits, dots, hyphens and underscores, the first a letter or a digit',
    '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  ),
  uuid: {
    mustBe: 'a UUID',
    test: matches(uuidPattern),
    schema: { type: 'string', format: 'uuid' },
  },
  decimal: patterned('a decimal string', '^-?[0-9]{1,32}(\\.[0-9]{1,32})?$'),
  wholeNumber: patterned('a whole number as a string', '^[0-9]{1,18}$'),
  dateTime: {
    mustBe: 'an RFC 3339 date-time',
    test: isDateTime,
    limit: fractionLimit,
    schema: dateTimeSchema,
  },
  localDateTime: {
    mustBe: 'a date-time without a zone',
    test: isLocalDateTime,
    limit: fractionLimit,
    schema: { type: 'string', pattern: localDateTime.source },
  },
  date: {
    mustBe: 'a date (YYYY-MM-DD)',
    test: isDate,
    schema: dateSchema,
  },
  dateOrDateTime: {
    mustBe: 'a date (YYYY-MM-DD) or an RFC 3339 date-time',
    test: (text) => isDate(text) || isDateTime(text),
    limit: fractionLimit,
    schema: { anyOf: [dateSchema, dateTimeSchema] },
  },
  seasonStart: {
    mustBe: 'a date (YYYY-MM-DD), a day of the year (MM-DD) or an RFC 3339 date-time',
    test: (text) => isDate(text) || isMonthDay(text) || isDateTime(text),
    limit: fractionLimit,
    schema: { anyOf: [dateSchema, { type: 'string', pattern: monthDay.source }, dateTimeSchema] },
  },
  duration: {
    mustBe: 'an ISO 8601 duration',
    test: isDuration,
    schema: { type: 'string', format: 'duration' },
  },
  email: {
    mustBe: 'an e-mail address',
    test: (text) => text.length <= emailLengthMax && email.test(text),
    schema: { type: 'string', maxLength: emailLengthMax, pattern: email.source },
  },
  webUri: {
    mustBe: 'an http or https URI',
    test: (text) => isWebUriText(text) && URL.canParse(text),
    schema: { type: 'string', format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' },
  },
} as const satisfies Record<string, Scalar>

export type ScalarName = keyof typeof scalars

/** A string in one of the formats of `scalars`. The schema keeps the name for error texts and OpenAPI. */
function scalar(name: ScalarName) {
  return Type.Refine(Type.String({ scalar: name }), scalars[name].test)
}

export const Id = scalar('id')
export const FeedName = scalar('feedName')
export const Uuid = scalar('uuid')
/** A decimal stored as text end to end: a float would lose precision. */
export const Money = scalar('decimal')
/** A rate that the interface defines as a string. In account records, rates are numbers. */
export const RateText = scalar('decimal')
export const Timestamp = scalar('dateTime')
export const LocalDateTime = scalar('localDateTime')
export const PlainDate = scalar('date')
export const DateOrDateTime = scalar('dateOrDateTime')
export const SeasonStart = scalar('seasonStart')
export const Duration = scalar('duration')
export const Email = scalar('email')
/** Products are public: a browser must not run what a link contains. */
export const WebUri = scalar('webUri')

export const Text = Type.String()
export const NonEmpty = Type.String({ minLength: 1 })
export const Flag = Type.Boolean()
export const Decimal = Type.Number()
/** Rates of accounts are numbers, but the Consumer Data Standards define some of them as strings. */
export const DecimalOrText = Type.Union([Decimal, RateText])
/** Limited to the integers that a double represents exactly. */
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** The number of a batch. */
export const BatchNumber = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
/** Digit strings that the interface defines as numbers: bsb, accountNumber, postcode, abn, acn. */
export const DigitsNumber = Count
