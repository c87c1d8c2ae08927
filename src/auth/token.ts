import { isUtf8 } from 'node:buffer'
import { findRepeatedMember } from '../contract/json-text.ts'
import { parseJson } from '../contract/parse-json.ts'
import type { RejectionReason } from '../contract/rejection-reasons.ts'

/** A parsed token. Not to be trusted before its signature is verified. */
export interface Token {
  readonly text: string
  readonly algorithm: string
  readonly keyId: string | undefined
  readonly claims: Readonly<Record<string, unknown>>
  readonly signedText: Buffer
  readonly signature: Buffer
}

/** The key id and issuer that a token contains, unverified. */
export interface Origin {
  readonly keyId: string | undefined
  readonly issuer: string | undefined
}

export class TokenRejected extends Error {
  override readonly name = 'TokenRejected'
  readonly reason: RejectionReason
  readonly origin: Origin | undefined
  /** What the settings require instead, without the path of the request. */
  readonly expected: string | undefined

  /** The token itself is not stored in the error, since errors are logged. */
  constructor(reason: RejectionReason, token?: string, expected?: string) {
    super(reason)
    this.reason = reason
    this.expected = expected
    this.origin = token === undefined ? undefined : readOrigin(token)
  }
}

/** The longest token that is parsed, in characters. */
const tokenLengthMax = 8192

const keyIdLengthMax = 256

type Reject = (reason: RejectionReason) => never

/**
 * Parses a compact JWS strictly as RFC 7515 defines it. Libraries also accept padding, whitespace and stray characters,
 * and each of those is a second spelling of the same token.
 */
export function parseToken(text: string): Token {
  if (text.length > tokenLengthMax) throw new TokenRejected('too long')
  const reject: Reject = (reason) => {
    throw new TokenRejected(reason, text)
  }
  const segments = text.split('.')
  const [head = '', body = '', tail = ''] = segments
  if (segments.length !== 3) return reject('not three segments')

  return {
    text,
    ...readHeader(head, reject),
    claims: parseObject(decode(body, reject), 'payload', reject),
    signedText: Buffer.from(text.slice(0, head.length + 1 + body.length), 'latin1'),
    signature: decode(tail, reject),
  }
}

type Header = Pick<Token, 'algorithm' | 'keyId'>

/** Cached, since all tokens signed with the same key have the same header. */
let lastHeader: { readonly segment: string; readonly header: Header } | undefined

function readHeader(segment: string, reject: Reject): Header {
  if (lastHeader?.segment === segment) return lastHeader.header
  const header = checkHeader(parseObject(decode(segment, reject), 'header', reject), reject)
  lastHeader = { segment, header }
  return header
}

function checkHeader(
  { alg, kid, crit, b64 }: Readonly<Record<string, unknown>>,
  reject: Reject,
): Header {
  if (crit !== undefined) return reject('crit')
  // It changes what is signed and is only valid with crit, so no legitimate token has it.
  if (b64 !== undefined && b64 !== true) return reject('b64')
  if (typeof alg !== 'string') return reject('alg')
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > keyIdLengthMax)) {
    return reject('kid')
  }
  return { algorithm: alg, keyId: kid }
}

/** Base64url without padding, whitespace, other alphabets or spare bits, so that each value has one encoding. */
function decode(segment: string, reject: Reject): Buffer {
  const bytes = Buffer.from(segment, 'base64url')
  if (segment === '' || bytes.toString('base64url') !== segment) reject('not base64url')
  return bytes
}

function parseObject(
  bytes: Buffer,
  part: 'header' | 'payload',
  reject: Reject,
): Record<string, unknown> {
  if (!isUtf8(bytes)) reject(`${part} is not UTF-8`)
  const text = bytes.toString('utf8')
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return reject(`${part} is not an object`)
  }
  const members = value as Record<string, unknown>
  if (!hasAllQuotes(members, text) && findRepeatedMember(text) !== undefined) {
    return reject(`${part} repeats a member`)
  }
  return members
}

/**
 * Whether every quotation mark of the text belongs to a name or to a value of the parsed object: a repeated member would
 * have more. Undecided, and thus false, for text with escapes or nested objects. Counting is faster than scanning.
 */
function hasAllQuotes(members: Readonly<Record<string, unknown>>, text: string): boolean {
  let count = 0
  for (const name in members) {
    const value = members[name]
    if (typeof value === 'object' && value !== null) return false
    count += typeof value === 'string' ? 4 : 2
  }
  return !text.includes('\\') && text.split('"').length === count + 1
}

/** Lenient, so that the log also names the origin of malformed tokens. */
function readOrigin(token: string): Origin {
  const [head = '', body = ''] = token.split('.')
  return { keyId: readMember(head, 'kid'), issuer: readMember(body, 'iss') }
}

function readMember(segment: string, name: string): string | undefined {
  const value = parseJson(Buffer.from(segment, 'base64url').toString('utf8'))
  const member = (value as Record<string, unknown> | null | undefined)?.[name]
  return typeof member === 'string' ? member : undefined
}
