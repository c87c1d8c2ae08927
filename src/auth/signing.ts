import { randomUUID } from 'node:crypto'
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  SignJWT,
} from 'jose'
import type { SigningKey } from '../catalogue/signing-keys.ts'

/** What the platform can sign with, the first one unless it is told otherwise. */
export const signingAlgorithms = ['ES256', 'PS256', 'RS256', 'EdDSA'] as const
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

/** How long a token is good for, in seconds: long enough to arrive. */
const tokenSeconds = 300

export async function makeSigningKey(
  algorithm: SigningAlgorithm,
  created: Temporal.Instant,
): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk = await exportJWK(privateKey)
  return { id: await calculateJwkThumbprint(jwk), algorithm, privateKey: { ...jwk }, created }
}

/** The parts of a JWK that may be known to everybody. */
const publicParts = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const

/** The key set as it is published: keys in use, without their private parts. */
export function publicKeySet(keys: readonly SigningKey[]): { keys: JWK[] } {
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

/** A token for one use of one resource. The query is not part of what it is for. */
export async function signToken(
  key: Pick<SigningKey, 'id' | 'algorithm' | 'privateKey'>,
  subdomain: string,
  url: string,
  now: Temporal.Instant,
): Promise<string> {
  const seconds = Math.floor(now.epochMilliseconds / 1000)
  const [resource = url] = url.split(/[?#]/, 1)
  return new SignJWT()
    .setProtectedHeader({ alg: key.algorithm, kid: key.id, typ: 'JWT' })
    .setIssuer(subdomain)
    .setSubject(subdomain)
    .setAudience(resource)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + tokenSeconds)
    .setJti(randomUUID())
    .sign(await importJWK(key.privateKey as JWK, key.algorithm))
}
