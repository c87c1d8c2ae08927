import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'

/** Texts that occur nowhere else, and that nothing may repeat. */
export interface Markers {
  /** A new text that begins with what it stands for. */
  text(what: string): string
  email(): string
  /** A new number of so many digits. */
  digits(count: number): string
  /** Adds a text that somebody else has made, such as a token. */
  add(text: string): string
  assertNoneIn(output: string): void
}

/** No piece of a long text either: so many characters in a row are no chance. */
const pieceLength = 12

export function openMarkers(): Markers {
  const made = new Set<string>()
  const add = (text: string): string => {
    made.add(text)
    return text
  }
  return {
    add,
    text: (what) => add(`${what}zq${randomBytes(6).toString('hex')}`),
    email: () => `${add(`mailzq${randomBytes(6).toString('hex')}`)}@example.com`,
    digits: (count) => add(`9${Array.from({ length: count - 1 }, () => randomInt(10)).join('')}`),
    assertNoneIn(output) {
      const told = withoutMeasures(output)
      for (const marker of made) {
        for (const form of formsOf(marker)) {
          const at = told.indexOf(form)
          assert.ok(at < 0, `${form} of ${marker} is in ${told.slice(at - 200, at + 200)}`)
        }
      }
    },
  }
}

/** As it is, and as it could be written by something that knows no better. */
function formsOf(marker: string): string[] {
  const bytes = Buffer.from(marker)
  const spelled = [
    marker,
    bytes.toString('hex'),
    bytes.toString('base64').replaceAll('=', ''),
    [...bytes].join(','),
  ]
  if (marker.length < 100) return spelled
  const places = Array.from({ length: marker.length - pieceLength + 1 }, (_, at) => at)
  return [...spelled, ...places.map((at) => marker.slice(at, at + pieceLength))]
}

/** Times and durations are digits that could be any. */
function withoutMeasures(output: string): string {
  return output.replaceAll(/"(time|durationMs)":[\d.]+/g, '')
}
