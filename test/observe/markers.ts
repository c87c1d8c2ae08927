import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'

/** Unique texts that must not appear in any output. */
export interface Markers {
  /** A new text that begins with the name. */
  text(name: string): string
  email(): string
  /** A new number with this many digits. */
  digits(count: number): string
  /** Adds an existing text, such as a token. */
  add(text: string): string
  assertNoneIn(output: string): void
}

/** Parts of a long text must not appear either. A match of this length is not a coincidence. */
const partLength = 12

export function openMarkers(): Markers {
  const markers = new Set<string>()
  const add = (text: string): string => {
    markers.add(text)
    return text
  }
  return {
    add,
    text: (name) => add(`${name}zq${randomBytes(6).toString('hex')}`),
    email: () => `${add(`mailzq${randomBytes(6).toString('hex')}`)}@example.com`,
    digits: (count) => add(`9${Array.from({ length: count - 1 }, () => randomInt(10)).join('')}`),
    assertNoneIn(output) {
      const searched = withoutMeasurements(output)
      for (const marker of markers) {
        for (const encoding of encodingsOf(marker)) {
          const at = searched.indexOf(encoding)
          assert.ok(at < 0, `${encoding} of ${marker} is in ${searched.slice(at - 200, at + 200)}`)
        }
      }
    },
  }
}

/** The text itself, and encodings of it that could be logged by accident. */
function encodingsOf(marker: string): string[] {
  const bytes = Buffer.from(marker)
  const encodings = [
    marker,
    bytes.toString('hex'),
    bytes.toString('base64').replaceAll('=', ''),
    [...bytes].join(','),
  ]
  if (marker.length < 100) return encodings
  const offsets = Array.from({ length: marker.length - partLength + 1 }, (_, at) => at)
  return [...encodings, ...offsets.map((at) => marker.slice(at, at + partLength))]
}

/** Digits of times and durations could match by coincidence. */
function withoutMeasurements(output: string): string {
  return output.replaceAll(/"(time|durationMs)":[\d.]+/g, '')
}
