import { createPublicKey, type webcrypto } from 'node:crypto'
import { rsaBits } from '../../auth/algorithms.ts'
import { fapiAlgorithms } from './client-metadata.ts'
import type { KeySet } from './store.ts'

const redirectUrisMax = 10
const urlLengthMax = 2000
const keysMax = 20

/** The private members of a JWK. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** What is wrong with the redirect URIs of a third party; undefined if nothing is. */
export function findRedirectUriProblem(uris: readonly string[]): string | undefined {
  if (uris.length === 0 || uris.length > redirectUrisMax) {
    return `there must be 1 to ${redirectUrisMax} redirect URIs`
  }
  for (const uri of uris) {
    const url = uri.length <= urlLengthMax ? URL.parse(uri) : null
    if (!url || !isHttpsOrLoopback(url)) {
      return `${quote(uri)} must be an https URL, or an http URL of this host`
    }
    if (uri.includes('#')) return `${quote(uri)} must not have a fragment`
    if (url.username || url.password) return `${quote(uri)} must not have credentials`
    // They are compared as text, with what the third party sends.
    if (url.href !== uri) return `${quote(uri)} must be written as ${quote(url.href)}`
  }
  // Otherwise, the subject of a customer would depend on the redirect URI.
  const hosts = new Set(uris.map((uri) => new URL(uri).host))
  return hosts.size === 1 ? undefined : 'all redirect URIs must have the same host'
}

/** What is wrong with the URL of a key set; undefined if nothing is. */
export function findKeyUrlProblem(text: string): string | undefined {
  const url = text.length <= urlLengthMax ? URL.parse(text) : null
  if (url && isHttpsOrLoopback(url) && !url.username && !url.password && !url.hash) return undefined
  return 'must be a file, an https URL, or an http URL of this host, without credentials and fragment'
}

/** What is wrong with the base URI of a third party; undefined if nothing is. */
export function findRecipientBaseUriProblem(text: string): string | undefined {
  const url = text.length <= urlLengthMax ? URL.parse(text) : null
  const isPlain = url && !url.username && !url.password && !/[?#]/.test(text)
  if (!isPlain || !isHttpsOrLoopback(url)) {
    return 'must be an https URL, or an http URL of this host, without credentials, query and fragment'
  }
  // It is the audience of tokens, which third parties compare as text.
  const written = text.endsWith('/') || url.pathname !== '/' ? url.href : url.origin
  return written === text ? undefined : `must be written as ${quote(written)}`
}

/** The usable signing keys of a key set. Throws an error for the user if there is a problem. */
export function readKeySet(value: unknown): KeySet {
  const { keys } = (value ?? {}) as { readonly keys?: unknown }
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > keysMax) {
    throw new Error(`must be a JSON Web Key Set with 1 to ${keysMax} keys`)
  }
  const usable = keys.flatMap((key, index) => {
    const problem = findKeyProblem(key)
    if (problem !== undefined) throw new Error(`keys[${index}] ${problem}`)
    return isForSigning(key) ? [key] : []
  })
  if (usable.length === 0) throw new Error(`has no key for ${fapiAlgorithms.join(' or ')}`)
  const ids = usable.map(({ kid }) => kid)
  if (new Set(ids).size < ids.length) throw new Error('has keys without different key ids (kid)')
  return { keys: usable }
}

function findKeyProblem(key: unknown): string | undefined {
  if (typeof key !== 'object' || key === null) return 'is not an object'
  const secret = privateMembers.find((member) => member in key)
  if (secret !== undefined)
    return `contains the private member ${secret}: send the public keys only`
  try {
    const { asymmetricKeyDetails } = createPublicKey({
      key: key as webcrypto.JsonWebKey,
      format: 'jwk',
    })
    const { modulusLength = rsaBits.min } = asymmetricKeyDetails ?? {}
    if (modulusLength < rsaBits.min) return `has fewer than ${rsaBits.min} bits`
    return modulusLength > rsaBits.max ? `has more than ${rsaBits.max} bits` : undefined
  } catch {
    return 'is not a public key'
  }
}

function isForSigning(key: Readonly<Record<string, unknown>>): boolean {
  const { use = 'sig', alg, kty, crv } = key
  const algorithm = kty === 'RSA' ? 'PS256' : kty === 'EC' && crv === 'P-256' ? 'ES256' : undefined
  return algorithm !== undefined && use === 'sig' && (alg === undefined || alg === algorithm)
}

function isHttpsOrLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname))
}

/** Whether the host of a URL can only be this machine. */
export function isThisMachine(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, urlLengthMax))
}
