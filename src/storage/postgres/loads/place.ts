import type { SourceLocation } from '../../../intake/writer.ts'
import { DatabaseError } from '../../database.ts'

/**
 * A place is the location of a line as one bigint that is not negative: 15 bits for the file, 36 for the line, 12 for
 * the part. Places are in the order of the lines.
 */
const lineBits = 36
const partBits = 12

const filesMax = 2 ** 15
const linesMax = 2 ** lineBits
const partsMax = 2 ** partBits

export function toPlace({ file, line, part = 0 }: SourceLocation): bigint {
  if (file >= filesMax || line >= linesMax || part >= partsMax) {
    throw new DatabaseError(
      `a load has at most ${filesMax} files, ${linesMax - 1} lines in a file and ${partsMax} lines for a row`,
    )
  }
  return BigInt(file * linesMax * partsMax) + BigInt(line * partsMax + part)
}

export function parsePlace(place: string): SourceLocation {
  const number = BigInt(place)
  const part = Number(BigInt.asUintN(partBits, number))
  return {
    file: Number(number >> BigInt(lineBits + partBits)),
    line: Number(BigInt.asUintN(lineBits, number >> BigInt(partBits))),
    ...(part !== 0 && { part }),
  }
}

export const fileOf = (place: string) => `(${place} >> ${lineBits + partBits})::smallint`
