/** How people enter values that a product stores in another form. Text that has no such form stays as it is. */

/** Rates are stored as fractions and entered as percentages. */
export function isRateName(name: string): boolean {
  return /(^|_)rate$/.test(name)
}

const decimal = /^(-?)(\d+)(?:\.(\d+))?$/

/** `4.50` as "0.0450", exactly. Anything but a number stays as it is, so that it is reported and not lost. */
export function fromPercent(text: string): string {
  const [, sign = '', whole = '', fraction = ''] = decimal.exec(text.replace(/ ?%$/, '')) ?? []
  if (whole === '') return text
  const digits = whole.padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}${fraction}`
}

/** `0.0450` as "4.50", exactly. */
export function toPercent(stored: string): string {
  const [, sign = '', whole = '', fraction = ''] = decimal.exec(stored) ?? []
  if (whole === '') return stored
  const padded = fraction.padEnd(2, '0')
  const digits = `${whole}${padded.slice(0, 2)}`.replace(/^0+(?=\d)/, '')
  const rest = padded.slice(2)
  return `${sign}${digits}${rest && `.${rest}`}`
}

export const durationUnits = [
  ['D', 'days'],
  ['W', 'weeks'],
  ['M', 'months'],
  ['Y', 'years'],
] as const

export type DurationUnit = (typeof durationUnits)[number][0]

export interface Period {
  readonly count: string
  readonly unit: DurationUnit
}

/** `P1M` as 1 and months. Undefined for a duration of several units, which is edited as text. */
export function toPeriod(stored: string): Period | undefined {
  const [, count, unit] = /^P([^DWMYT]*)([DWMY])$/.exec(stored) ?? []
  return count === undefined ? undefined : { count, unit: unit as DurationUnit }
}

export function fromPeriod({ count, unit }: Period): string | undefined {
  return count.trim() === '' ? undefined : `P${count.trim()}${unit}`
}
