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

export function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
}
