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
      const fail = (text: string, at: number) =>
        assert.fail(`${text} is in ${searched.slice(Math.max(0, at - 200), at + 200)}`)
      for (const encoding of [...markers].flatMap(encodingsOf)) {
        const at = searched.indexOf(encoding)
        if (at >= 0) fail(encoding, at)
      }
      const parts = new Set([...markers].flatMap(partsOf))
      for (let at = 0; at + partLength <= searched.length; at += 1) {
        const part = searched.slice(at, at + partLength)
        if (parts.has(part)) fail(part, at)
      }
    },
  }
}

/** The text itself, and encodings of it that could be logged by accident. */
function encodingsOf(marker: string): string[] {
  const bytes = Buffer.from(marker)
  return [
    marker,
    bytes.toString('hex'),
    bytes.toString('base64').replaceAll('=', ''),
    [...bytes].join(','),
  ]
}

function partsOf(marker: string): string[] {
  if (marker.length < 100) return []
  const offsets = Array.from({ length: marker.length - partLength + 1 }, (_, at) => at)
  return offsets.map((at) => marker.slice(at, at + partLength))
}

/** Digits of times and durations could match by coincidence. */
function withoutMeasurements(output: string): string {
  return output.replaceAll(/"(time|durationMs)":[\d.]+/g, '')
}
