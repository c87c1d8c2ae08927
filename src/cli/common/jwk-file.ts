import { closeSync, openSync, readSync } from 'node:fs'
import { CommandError } from '../../server/terminal.ts'

/** Larger than any key. */
const jwkBytesMax = 64 * 1024

/** The JSON in the file; whether it is a usable key is checked by the caller. */
export function readJwkFile(file: string): unknown {
  try {
    return JSON.parse(readStart(file, jwkBytesMax))
  } catch {
    throw new CommandError(2, `${file} is not a readable JWK file`)
  }
}

/** At most this much of a file. It may be a pipe or a device, which has no size. */
function readStart(file: string, bytesMax: number): string {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(bytesMax)
    let length = 0
    for (let read = -1; read !== 0 && length < bytesMax; length += read) {
      read = readSync(descriptor, bytes, length, bytesMax - length, null)
    }
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(descriptor)
  }
}
