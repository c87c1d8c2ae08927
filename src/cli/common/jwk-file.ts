import { createReadStream } from 'node:fs'
import { json } from 'node:stream/consumers'
import { CommandError } from '../../server/terminal.ts'

/** Larger than any key. The file may be a pipe or a device, which has no size. */
const jwkBytesMax = 64 * 1024

/** The JSON in the file; whether it is a usable key is checked by the caller. */
export function readJwkFile(file: string): Promise<unknown> {
  return json(createReadStream(file, { end: jwkBytesMax - 1 })).catch(() => {
    throw new CommandError(2, `${file} is not a readable JWK file`)
  })
}
