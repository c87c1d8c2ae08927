import {
  constants,
  createHmac,
  createPrivateKey,
  createPublicKey,
  type JsonWebKeyInput,
  type KeyObject,
  sign,
} from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import type { Members, SigningKey } from './signing-key.ts'

/** Encodes and signs without validation: JWT libraries do not create most of the invalid tokens. */
export function signToken(header: Members, payload: Members, key: SigningKey): string {
  const text = encodeUnsigned(header, payload)
  return `${text}.${base64url(signature(text, key))}`
}

/** The two segments that are signed, without members that are undefined. */
export function encodeUnsigned(header: Members, payload: Members): string {
  return `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(payload))}`
}

export function base64url(content: string | Uint8Array): string {
  return Buffer.from(content).toString('base64url')
}

export function signHmac(text: string, secret: string | Uint8Array): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}

export function signature(text: string, signer: SigningKey): Buffer {
  const { alg } = signer
  const key = toPrivateKey(signer)
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

/** Throws a `TypeError` with a message for the user if it is not a private JWK with `kid` and `alg`. */
export function parseKey(jwk: unknown): SigningKey {
  const { kid, alg } = { ...(jwk as { kid?: unknown; alg?: unknown } | null) }
  if (typeof kid !== 'string' || typeof alg !== 'string') {
    throw new TypeError('the key must be a JWK with kid and alg')
  }
  if (!algorithms.test(alg))
    throw new TypeError(`the alg ${alg} of the key is not a supported signing algorithm`)
  const key = { kid, alg, jwk: jwk as Members }
  try {
    toPrivateKey(key)
    return key
  } catch {
    throw new TypeError('the key is not a private JWK')
  }
}

const privateKeys = new WeakMap<Members, KeyObject>()

function toPrivateKey({ jwk }: SigningKey): KeyObject {
  const key =
    privateKeys.get(jwk) ?? createPrivateKey({ key: jwk as JsonWebKeyInput['key'], format: 'jwk' })
  privateKeys.set(jwk, key)
  return key
}

export function toPublicKey(key: SigningKey): KeyObject {
  return createPublicKey(toPrivateKey(key))
}

export function toPublicJwk(key: SigningKey): Members {
  return { ...toPublicKey(key).export({ format: 'jwk' }), kid: key.kid, alg: key.alg, use: 'sig' }
}

/** Generates a private key for an algorithm. */
export async function generatePrivateJwk(alg: string): Promise<Members> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)) }
}
