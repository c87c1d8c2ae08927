/** How many digits of a number for display are not masked. */
const shownDigits = 4

/** At most the last four digits, after what replaces the others. */
const masked = /^\D*x[^\dx]*(?:\d[^\dx]*){0,4}$/

/** Whether it is a `MaskedAccountString` or `MaskedPANString` of the Consumer Data Standards. */
export function isMasked(number: string): boolean {
  return masked.test(number)
}

/** With an x for each digit except the last ones, if it is not masked. */
export function maskNumber(number: string): string {
  const digits = number.match(/\d/g)?.length ?? 0
  let position = 0
  return number.replaceAll(/\d/g, (digit) => (digits - position++ > shownDigits ? 'x' : digit))
}
