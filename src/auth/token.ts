import { isUtf8 } from 'node:buffer'
import { findRepeatedMember } from '../text/json-text.ts'
import type { RejectionReason } from './rejection-reasons.ts'

/** A token taken apart. Nothing in it is to be believed before its signature is. */
export interface Token {
  /** As it was sent. */
  readonly text: string
  readonly algorithm: string
  readonly keyId: string | undefined
  readonly claims: Readonly<Record<string, unknown>>
  readonly signedText: Buffer
  readonly signature: Buffer
}

/** Whom a token says it is from. Anybody can write anything there. */
export interface Origin {
  readonly keyId: string | undefined
  readonly issuer: string | undefined
}

/** Why a token is refused. For the log; the caller is told nothing. */
export class TokenRejected extends Error {
  override readonly name = 'TokenRejected'
  readonly reason: RejectionReason
  readonly origin: Origin | undefined

  /** The token itself is not kept: whoever has the error could log it. */
  constructor(reason: RejectionReason, token?: string) {
    super(reason)
    this.reason = reason
    this.origin = token === undefined ? undefined : originOf(token)
  }
}

/** The longest token that is looked at, in characters. */
export const tokenLengthMax = 8192

const keyIdLengthMax = 256

type Refuse = (reason: RejectionReason) => never

/**
 * Reads a compact JWS as RFC 7515 writes it and in no other way: libraries also take padding, blanks and
 * stray characters, and each of those is a second spelling of the same token.
 */
export function parseToken(text: string): Token {
  if (text.length > tokenLengthMax) throw new TokenRejected('too long')
  const refuse: Refuse = (reason) => {
    throw new TokenRejected(reason, text)
  }
  const segments = text.split('.')
  const [head = '', body = '', tail = ''] = segments
  if (segments.length !== 3) return refuse('not three segments')

  return {
    text,
    ...headerOf(head, refuse),
    claims: object(decode(body, refuse), 'payload', refuse),
    signedText: Buffer.from(text.slice(0, head.length + 1 + body.length), 'latin1'),
    signature: decode(tail, refuse),
  }
}

type Header = Pick<Token, 'algorithm' | 'keyId'>

/** Every token that a key signs has the same one. */
let lastHeader: { readonly segment: string; readonly header: Header } | undefined

function headerOf(segment: string, refuse: Refuse): Header {
  if (lastHeader?.segment === segment) return lastHeader.header
  const header = readHeader(object(decode(segment, refuse), 'header', refuse), refuse)
  lastHeader = { segment, header }
  return header
}

function readHeader(
  { alg, kid, crit, b64 }: Readonly<Record<string, unknown>>,
  refuse: Refuse,
): Header {
  if (crit !== undefined) return refuse('crit')
  // It would change what is signed, and has no effect without crit: somebody is trying something.
  if (b64 !== undefined && b64 !== true) return refuse('b64')
  if (typeof alg !== 'string') return refuse('alg')
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > keyIdLengthMax)) {
    return refuse('kid')
  }
  return { algorithm: alg, keyId: kid }
}

/** Base64url without padding, blanks, other alphabets or spare bits: one text for one content. */
function decode(segment: string, refuse: Refuse): Buffer {
  const bytes = Buffer.from(segment, 'base64url')
  if (segment === '' || bytes.toString('base64url') !== segment) refuse('not base64url')
  return bytes
}

function object(
  bytes: Buffer,
  part: 'header' | 'payload',
  refuse: Refuse,
): Record<string, unknown> {
  if (!isUtf8(bytes)) refuse(`${part} is not UTF-8`)
  const text = bytes.toString('utf8')
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(`${part} is not an object`)
  }
  // A text that is what its content would be written as cannot say anything twice.
  if (JSON.stringify(value) !== text && findRepeatedMember(text) !== undefined) {
    return refuse(`${part} repeats a member`)
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

/** Read as leniently as can be: the log is to say who sends tokens that are spelled wrongly, too. */
function originOf(token: string): Origin {
  const [head = '', body = ''] = token.split('.')
  return { keyId: textMember(head, 'kid'), issuer: textMember(body, 'iss') }
}

function textMember(segment: string, name: string): string | undefined {
  const value = parse(Buffer.from(segment, 'base64url').toString('utf8'))
  const member = (value as Record<string, unknown> | null | undefined)?.[name]
  return typeof member === 'string' ? member : undefined
}
