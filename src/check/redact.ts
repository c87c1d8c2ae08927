/** The minimum length of the header and the payload of a signed token. */
const segmentLengthMin = 8

const lengthMax = 2000

/** Prepares a text of the provider for a report. It redacts before it truncates: a truncated token would not be recognised. */
export function redact(text: string): string {
  const safe = removeTokens(text)
  if (safe.length <= lengthMax) return safe
  return `${safe.slice(0, lengthMax)}… (${safe.length - lengthMax} more characters)`
}

/** The base64url form of a JSON object, which a header is. The path of a field, such as planDetail.electricityContract.timeZone, is none. */
const header = /^e[wy]/

/**
 * Replaces every text in the form of a signed token. One pass over each run of token characters keeps this linear for any
 * text of the provider: a single pattern for the three segments would backtrack.
 */
function removeTokens(text: string): string {
  return text.replaceAll(/[\w.-]+/g, (run) => {
    const segments = run.split('.')
    const isLong = (segment: string | undefined) => (segment?.length ?? 0) >= segmentLengthMin
    const start = segments.findIndex(
      (segment, index) =>
        index + 2 < segments.length &&
        header.test(segment) &&
        isLong(segment) &&
        isLong(segments[index + 1]),
    )
    return start < 0 ? run : [...segments.slice(0, start), '[token]'].join('.')
  })
}
