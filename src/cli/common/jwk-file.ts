import { readFileSync } from 'node:fs'
import { CommandError } from '../../server/terminal.ts'

/** The JSON in the file; whether it is a usable key is checked by the caller. */
export function readJwkFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new CommandError(2, `${file} is not a readable JWK file`)
  }
}
