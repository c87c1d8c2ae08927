/** How two lists differ, as text; undefined if they have the same elements in any order. */
export function describeDifference(
  expected: readonly string[],
  actual: readonly string[],
): string | undefined {
  const left = countKeys(expected)
  const surplus: string[] = []
  for (const key of actual) {
    const count = left.get(key) ?? 0
    if (count === 0) surplus.push(key)
    else left.set(key, count - 1)
  }
  const missing = [...left].filter(([, count]) => count > 0).map(([key]) => key)
  if (missing.length === 0 && surplus.length === 0) return undefined
  return [
    ...(missing.length > 0 ? [`${missing.length} missing (${formatKeys(missing)})`] : []),
    ...(surplus.length > 0 ? [`${surplus.length} too many (${formatKeys(surplus)})`] : []),
  ].join(', ')
}

/** The keys that occur more than once. */
export function findRepeated(keys: readonly string[]): string[] {
  return [...countKeys(keys)].filter(([, count]) => count > 1).map(([key]) => key)
}

const keysMax = 3
const lengthMax = 80

/** The first keys, for a report. */
export function formatKeys(keys: readonly string[]): string {
  const first = keys
    .slice(0, keysMax)
    .map((key) => (key.length > lengthMax ? `${key.slice(0, lengthMax)}…` : key))
  return first.join('; ') + (keys.length > keysMax ? '; …' : '')
}

function countKeys(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** Exact, without floats: negative, zero or positive if `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: string, b: string): number {
  const places = Math.max(countPlaces(a), countPlaces(b))
  const difference = scale(a, places) - scale(b, places)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
}

function countPlaces(decimal: string): number {
  const point = decimal.indexOf('.')
  return point < 0 ? 0 : decimal.length - point - 1
}

function scale(decimal: string, places: number): bigint {
  const digits = decimal.replace('.', '')
  return BigInt(digits + '0'.repeat(places - countPlaces(decimal)))
}
