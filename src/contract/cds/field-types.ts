import { scalars } from '../scalars.ts'

/**
 * A string type of the Consumer Data Standards. `test` and `mustBe` apply to the catalogue's value, whose format
 * may be wider; `write` converts a value that passes the test, if the two formats differ.
 */
export interface CdsScalar {
  readonly mustBe: string
  readonly test: (value: unknown) => boolean
  readonly write?: (text: string) => string
}

function text(mustBe: string, test: (text: string) => boolean): CdsScalar {
  return { mustBe, test: (value) => typeof value === 'string' && test(value) }
}

function decimal(mustBe: string, pattern: RegExp, write: (text: string) => string): CdsScalar {
  return { ...text(mustBe, (value) => pattern.test(value)), write }
}

function wholeNumber(mustBe: string, minimum: number): CdsScalar {
  return { mustBe, test: (value) => Number.isSafeInteger(value) && Number(value) >= minimum }
}

export const cdsScalars = {
  text: text('a string', () => true),
  ascii: text('a string of ASCII characters', (value) => /^[\x20-\x7e]*$/.test(value)),
  pathSegment: text(
    'a string of ASCII characters other than . and ..',
    (value) => /^[\x20-\x7e]*$/.test(value) && !isDots(value),
  ),
  uri: text(scalars.webUri.mustBe, scalars.webUri.test),
  dateTime: text(scalars.dateTime.mustBe, scalars.dateTime.test),
  duration: text(scalars.duration.mustBe, scalars.duration.test),
  currency: text('a currency code of three capital letters', (value) => /^[A-Z]{3}$/.test(value)),
  amount: decimal(
    'an amount with at most 16 digits before the decimal point',
    /^-?0*\d{1,16}(?:\.\d+)?$/,
    toAmount,
  ),
  rate: decimal(
    'a rate with at most 16 digits before and after the decimal point',
    /^-?0*\d{1,16}(?:\.\d{1,16})?$/,
    withoutLeadingZeros,
  ),
  adjustment: decimal(
    'a rate that is not negative, with at most 16 digits before and after the decimal point',
    /^0*\d{1,16}(?:\.\d{1,16})?$/,
    withoutLeadingZeros,
  ),
  count: decimal('a whole number', /^0*\d{1,16}(?:\.0+)?$/, (value) =>
    withoutLeadingZeros(value.replace(/\..*/, '')),
  ),
  flag: { mustBe: 'true or false', test: (value) => typeof value === 'boolean' },
  naturalNumber: wholeNumber('a whole number', 0),
  positiveInteger: wholeNumber('a whole number of at least 1', 1),
} as const satisfies Record<string, CdsScalar>

export type CdsScalarName = keyof typeof cdsScalars

/** Whether a URL cannot contain it as the last part of its path, encoded or not. */
export function isDots(id: string): boolean {
  return id === '.' || id === '..'
}

/** `AmountString`, which has at least two decimal places. */
export function toAmount(value: string): string {
  const [whole = '', places = ''] = withoutLeadingZeros(value).split('.')
  return `${whole}.${places.padEnd(2, '0')}`
}

function withoutLeadingZeros(value: string): string {
  return value.replace(/^(-?)0+(?=\d)/, '$1')
}
