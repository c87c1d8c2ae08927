/** How two lists differ, as a sentence; undefined where they hold the same, in whatever order. */
export function differenceOf(
  expected: readonly string[],
  actual: readonly string[],
): string | undefined {
  const left = countsOf(expected)
  const surplus: string[] = []
  for (const key of actual) {
    const count = left.get(key) ?? 0
    if (count === 0) surplus.push(key)
    else left.set(key, count - 1)
  }
  const missing = [...left].filter(([, count]) => count > 0).map(([key]) => key)
  if (missing.length === 0 && surplus.length === 0) return undefined
  return [
    ...(missing.length > 0 ? [`${missing.length} missing (${shown(missing)})`] : []),
    ...(surplus.length > 0 ? [`${surplus.length} too many (${shown(surplus)})`] : []),
  ].join(', ')
}

/** Which of them come more than once. */
export function repeatedIn(keys: readonly string[]): string[] {
  return [...countsOf(keys)].filter(([, count]) => count > 1).map(([key]) => key)
}

const shownMax = 3
const lengthMax = 80

export function shown(keys: readonly string[]): string {
  const first = keys
    .slice(0, shownMax)
    .map((key) => (key.length > lengthMax ? `${key.slice(0, lengthMax)}…` : key))
  return first.join('; ') + (keys.length > shownMax ? '; …' : '')
}

function countsOf(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** Decimals as they stand, never as floats: negative, zero or positive as `a` is less, equal or more. */
export function compareDecimals(a: string, b: string): number {
  const places = Math.max(placesOf(a), placesOf(b))
  const difference = scaled(a, places) - scaled(b, places)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
}

function placesOf(decimal: string): number {
  const point = decimal.indexOf('.')
  return point < 0 ? 0 : decimal.length - point - 1
}

function scaled(decimal: string, places: number): bigint {
  const digits = decimal.replace('.', '')
  return BigInt(digits + '0'.repeat(places - placesOf(decimal)))
}
