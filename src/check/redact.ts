/** What a report may show of a text that the provider chose. */

/** The shortest header or payload of a signed token. */
const segmentLengthMin = 8

const shownMax = 2000

/** Redacts before it cuts: half a token would not be recognised. */
export function shown(text: string): string {
  const safe = redacted(text)
  if (safe.length <= shownMax) return safe
  return `${safe.slice(0, shownMax)}… (${safe.length - shownMax} more characters)`
}

/**
 * Replaces every text in the form of a signed token. The provider chooses what it sends: one pass over each run of
 * token characters keeps this linear, where a single pattern for the three segments would backtrack.
 */
function redacted(text: string): string {
  return text.replaceAll(/[\w.-]+/g, (run) => {
    const segments = run.split('.')
    const isLong = (segment: string | undefined) => (segment?.length ?? 0) >= segmentLengthMin
    const start = segments.findIndex(
      (segment, index) =>
        index + 2 < segments.length && isLong(segment) && isLong(segments[index + 1]),
    )
    return start < 0 ? run : [...segments.slice(0, start), '[token]'].join('.')
  })
}
