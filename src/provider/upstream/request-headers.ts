/** Fields that concern one connection (RFC 9110, section 7.6.1). */
export const connectionFields: readonly string[] = [
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Fields that the guard sets or consumes, and those whose effect the interface does not have: 206 and 304 responses. */
const ownFields: readonly string[] = [
  'accept-encoding',
  'authorization',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
]

/** Some frameworks replace the method or the path of a request by these, which were not checked. */
const overridingFields: readonly string[] = [
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
]

export interface HeaderField {
  readonly name: string
  readonly value: string
}

/** Selects the header fields of a request to forward. `own` replaces fields with the same names. */
export type RequestHeaders = (
  rawHeaders: readonly string[],
  own: Readonly<Record<string, string>>,
) => string[]

/** `authentication` is how the upstream recognises the guard. */
export function createRequestHeaders(authentication: HeaderField | undefined): RequestHeaders {
  const name = authentication?.name.toLowerCase() ?? ''
  const dropped = new Set([
    ...connectionFields,
    ...ownFields,
    ...overridingFields,
    name.replaceAll('_', '-'),
  ])
  // Without it, the upstream may choose any coding.
  const fixed = ['accept-encoding', 'identity']
  if (authentication) fixed.push(name, authentication.value)

  return (rawHeaders, own) => {
    const fields = [...fixed]
    for (const [ownName, value] of Object.entries(own)) fields.push(ownName, value)
    const options = readConnectionOptions(rawHeaders)
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const field = (rawHeaders[index] ?? '').toLowerCase()
      // For many servers, x_api_key is the same field as x-api-key.
      const plain = field.includes('_') ? field.replaceAll('_', '-') : field
      if (dropped.has(plain) || Object.hasOwn(own, plain) || options.includes(field)) continue
      fields.push(field, rawHeaders[index + 1] ?? '')
    }
    return fields
  }
}

const noOptions: readonly string[] = []

/** The names of the fields that the Connection header of a request lists. */
function readConnectionOptions(rawHeaders: readonly string[]): readonly string[] {
  let options = noOptions
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.length !== 'connection'.length) continue
    if (rawHeaders[index]?.toLowerCase() !== 'connection') continue
    options = [...options, ...listConnectionOptions(rawHeaders[index + 1] ?? '')]
  }
  return options
}

export function listConnectionOptions(value: string): string[] {
  return value.split(',').map((option) => option.trim().toLowerCase())
}
