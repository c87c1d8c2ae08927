import { isUtf8 } from 'node:buffer'
import { repeatedMember } from '../provider/json-text.ts'

/** A token taken apart. Nothing in it is to be believed before its signature is. */
export interface Token {
  readonly algorithm: string
  readonly keyId: string | undefined
  readonly claims: Readonly<Record<string, unknown>>
  readonly signedText: Buffer
  readonly signature: Buffer
}

/** Why a token is refused. For the log; the caller is told nothing. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
  readonly token: Token | undefined

  constructor(reason: string, token?: Token) {
    super(reason)
    this.token = token
  }
}

/** The longest token that is looked at, in characters. */
export const tokenLengthMax = 8192

const keyIdLengthMax = 256

/**
 * Reads a compact JWS as RFC 7515 writes it and in no other way: libraries also take padding, blanks and
 * stray characters, and each of those is a second spelling of the same token.
 */
export function parseToken(text: string): Token {
  if (text.length > tokenLengthMax) throw new TokenRefused('too long')
  const segments = text.split('.')
  const [head = '', body = '', tail = ''] = segments
  if (segments.length !== 3) throw new TokenRefused('not three segments')

  const header = object(decode(head), 'header')
  const { alg, kid, crit, b64 } = header
  if (crit !== undefined) throw new TokenRefused('crit')
  // It would change what is signed, and has no effect without crit: somebody is trying something.
  if (b64 !== undefined && b64 !== true) throw new TokenRefused('b64')
  if (typeof alg !== 'string') throw new TokenRefused('alg')
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > keyIdLengthMax)) {
    throw new TokenRefused('kid')
  }
  return {
    algorithm: alg,
    keyId: kid,
    claims: object(decode(body), 'payload'),
    signedText: Buffer.from(`${head}.${body}`, 'latin1'),
    signature: decode(tail),
  }
}

/** Base64url without padding, blanks, other alphabets or spare bits: one text for one content. */
function decode(segment: string): Buffer {
  const bytes = Buffer.from(segment, 'base64url')
  if (segment === '' || bytes.toString('base64url') !== segment) {
    throw new TokenRefused('not base64url')
  }
  return bytes
}

function object(bytes: Buffer, part: string): Record<string, unknown> {
  if (!isUtf8(bytes)) throw new TokenRefused(`${part} is not UTF-8`)
  const text = bytes.toString('utf8')
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TokenRefused(`${part} is not an object`)
  }
  // A text that is what its content would be written as cannot say anything twice.
  if (JSON.stringify(value) !== text && repeatedMember(text) !== undefined) {
    throw new TokenRefused(`${part} repeats a member`)
  }
  return value as Record<string, unknown>
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
