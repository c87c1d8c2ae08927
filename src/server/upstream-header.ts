import { readFileSync } from 'node:fs'
import { connectionFields, type HeaderField } from '../provider/upstream/request-headers.ts'
import { flagName } from './settings/settings.ts'
import { CommandError } from './terminal.ts'

/** Fields that the guard sets itself or takes from the request. */
const reservedFields: readonly string[] = [
  ...connectionFields,
  'accept-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'x-fapi-interaction-id',
]

const fieldMax = 8192

/** A name and a value in visible ASCII characters (RFC 9110, section 5). */
const fieldPattern = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([!-~](?:[ -~]*[!-~])?)$/

/** Reads the header field that authenticates the guard. Its value is a secret: no message contains it. */
export function readUpstreamHeader(file: string): HeaderField {
  const fail = (problem: string): never => {
    throw new CommandError(1, `${flagName('upstreamHeaderFile')}: ${problem}`)
  }
  let text = ''
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    fail(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`)
  }
  const [, name, value] = (text.length <= fieldMax && fieldPattern.exec(text)) || []
  if (name === undefined || value === undefined) {
    return fail(`${file} must contain one header field, such as x-api-key: SECRET`)
  }
  if (reservedFields.includes(name.toLowerCase())) fail(`${file} must not set ${name}`)
  return { name, value }
}
