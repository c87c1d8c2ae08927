import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { SigningKey } from './signing-key-store.ts'

/** What the platform can sign with, the first one unless it is told otherwise. */
export const signingAlgorithms = ['ES256', 'PS256', 'RS256', 'EdDSA'] as const
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

export async function makeSigningKey(
  algorithm: SigningAlgorithm,
  created: Temporal.Instant,
): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk = await exportJWK(privateKey)
  // The day it was made and enough of its fingerprint, so that people can tell keys apart.
  const day = created.toString().slice(0, 10)
  const id = `${day}-${(await calculateJwkThumbprint(jwk)).slice(0, 12)}`
  return { id, algorithm, privateKey: { ...jwk }, created }
}

/** The parts of a JWK that may be known to everybody. */
const publicParts = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const

/** The key set as it is published: keys in use, without their private parts. */
export function toPublicKeySet(keys: readonly SigningKey[]): { keys: JWK[] } {
  return {
    keys: keys
      .filter(({ retired }) => retired === undefined)
      .map(({ id, algorithm, privateKey }) => ({
        ...Object.fromEntries(
          publicParts.filter((part) => part in privateKey).map((part) => [part, privateKey[part]]),
        ),
        kid: id,
        alg: algorithm,
        use: 'sig',
      })) as JWK[],
  }
}
