import {
  constants,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type JsonWebKeyInput,
  type KeyObject,
  sign,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { Members, SigningKey } from './signing-key.ts'

/** Tokens by hand: a library would refuse to make most of those that a provider must refuse. */
export function compact(header: Members, payload: Members, key: SigningKey): string {
  const text = unsigned(header, payload)
  return `${text}.${base64url(signature(text, key))}`
}

/** The two segments that are signed. Members that are undefined are left out. */
export function unsigned(header: Members, payload: Members): string {
  return `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(payload))}`
}

export function base64url(content: string | Uint8Array): string {
  return Buffer.from(content).toString('base64url')
}

export function hmac(text: string, secret: string | Uint8Array): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}

export function signature(text: string, signer: SigningKey): Buffer {
  const { alg } = signer
  const key = privateKeyOf(signer)
  const data = Buffer.from(text)
  const hash = `sha${alg.slice(2)}`
  switch (alg.slice(0, 2)) {
    case 'ES':
      return sign(hash, data, { key, dsaEncoding: 'ieee-p1363' })
    case 'RS':
      return sign(hash, data, { key, padding: constants.RSA_PKCS1_PADDING })
    case 'PS': {
      const saltLength = Number(alg.slice(2)) / 8
      return sign(hash, data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength })
    }
    default:
      return sign(null, data, key)
  }
}

const algorithms = /^(ES256|ES384|ES512|[RP]S(256|384|512)|EdDSA|Ed25519)$/

/** A private JWK as a key to sign with; throws a sentence where it is none. */
export function keyOf(jwk: unknown): SigningKey {
  const { kid, alg } = { ...(jwk as { kid?: unknown; alg?: unknown } | null) }
  if (typeof kid !== 'string' || typeof alg !== 'string') {
    throw new TypeError('the key must be a JWK with a kid and an alg')
  }
  if (!algorithms.test(alg)) throw new TypeError(`the key’s alg ${alg} is not one to sign with`)
  const key = { kid, alg, jwk: jwk as Members }
  try {
    privateKeyOf(key)
    return key
  } catch {
    throw new TypeError('the key is not a private JWK')
  }
}

const privateKeys = new WeakMap<Members, KeyObject>()

function privateKeyOf({ jwk }: SigningKey): KeyObject {
  const key =
    privateKeys.get(jwk) ?? createPrivateKey({ key: jwk as JsonWebKeyInput['key'], format: 'jwk' })
  privateKeys.set(jwk, key)
  return key
}

export function publicKeyOf(key: SigningKey): KeyObject {
  return createPublicKey(privateKeyOf(key))
}

export function publicJwk(key: SigningKey): Members {
  return { ...publicKeyOf(key).export({ format: 'jwk' }), kid: key.kid, alg: key.alg, use: 'sig' }
}

const generate = promisify(generateKeyPair)

/** A fresh private key of the kind that an algorithm asks for. */
export async function newPrivateJwk(alg: string): Promise<Members> {
  return { ...(await newPrivateKey(alg)).export({ format: 'jwk' }) }
}

const curves = new Map([
  ['ES256', 'P-256'],
  ['ES384', 'P-384'],
  ['ES512', 'P-521'],
])

async function newPrivateKey(alg: string): Promise<KeyObject> {
  switch (alg.slice(0, 2)) {
    case 'Ed':
      return (await generate('ed25519')).privateKey
    case 'ES': {
      const namedCurve = curves.get(alg) ?? 'P-256'
      return (await generate('ec', { namedCurve })).privateKey
    }
    default:
      return (await generate('rsa', { modulusLength: 2048 })).privateKey
  }
}
