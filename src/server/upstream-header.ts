import { connectionFields, type HeaderField } from '../provider/upstream/request-headers.ts'
import { fileError, readSettingFile } from './setting-file.ts'

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
  const text = readSettingFile('upstreamHeaderFile', file).toString().trim()
  const [, name, value] = (text.length <= fieldMax && fieldPattern.exec(text)) || []
  if (name === undefined || value === undefined) {
    const problem = `${file} must contain one header field, such as x-api-key: SECRET`
    throw fileError('upstreamHeaderFile', problem)
  }
  if (reservedFields.includes(name.toLowerCase())) {
    throw fileError('upstreamHeaderFile', `${file} must not set ${name}`)
  }
  return { name, value }
}
