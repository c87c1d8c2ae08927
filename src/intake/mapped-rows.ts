import { inspect } from 'node:util'
import type { MapRow } from '../contract/index.ts'
import { isObject } from '../contract/schema.ts'
import type { Converted, RowConverter } from './rows.ts'

/** How the reason of an error begins that a mapping function has thrown. */
export const mappingFailure = 'the mapping function failed'

/** How many lines a row can become. */
export const linesPerRowMax = 4096

/**
 * Makes lines from each row with a function, which may be asynchronous. `findPosition` describes where in the code an
 * error was thrown; its message may contain values of the row.
 */
export function createMappingConverter(
  map: MapRow<never>,
  findPosition: (error: unknown) => string,
): RowConverter {
  const fail = (error: unknown): Converted => ({
    problems: [
      {
        path: '',
        reason: `${mappingFailure}${findPosition(error)}`,
        // A function can throw any value, also one that has no string.
        detail: error instanceof Error ? error.message : inspect(error),
      },
    ],
  })
  return {
    convert(values, line, file) {
      try {
        const mapped = map(values as never, { file, line })
        return mapped instanceof Promise
          ? mapped.then(toConverted).catch(fail)
          : toConverted(mapped)
      } catch (error) {
        return fail(error)
      }
    },
  }
}

/** The validation of the lines reports everything else that a function can return. */
function toConverted(mapped: unknown): Converted {
  const lines = mapped === null || mapped === undefined ? [] : [mapped].flat()
  if (lines.length > linesPerRowMax) {
    return reject(`must not return more than ${linesPerRowMax} lines for a row`)
  }
  if (!lines.every(isObject)) return reject('must return a line, a list of lines or nothing')
  // The text of an object with a method toJSON may be undefined.
  return { texts: lines.map((line) => JSON.stringify(line) ?? 'null') }
}

function reject(reason: string): Converted {
  return { problems: [{ path: '', reason: `the mapping function ${reason}` }] }
}
