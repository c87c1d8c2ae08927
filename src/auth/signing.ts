import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { SigningKey } from './signing-key-store.ts'

/** The algorithms that the platform can sign with; the first is the default. */
export const signingAlgorithms = ['ES256', 'PS256', 'RS256', 'EdDSA'] as const
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

export async function makeSigningKey(
  algorithm: SigningAlgorithm,
  created: Temporal.Instant,
): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk = await exportJWK(privateKey)
  // The creation date and a part of the thumbprint, so that operators can tell keys apart.
  const day = created.toString().slice(0, 10)
  const id = `${day}-${(await calculateJwkThumbprint(jwk)).slice(0, 12)}`
  return { id, algorithm, privateKey: { ...jwk }, created }
}

/** The members of a JWK that are public. */
const publicMembers = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const

/** The published key set: keys in use, without their private members. */
export function toPublicKeySet(keys: readonly SigningKey[]): { keys: JWK[] } {
  return { keys: keys.filter(({ retired }) => retired === undefined).map(toPublicJwk) }
}

export function toPublicJwk({ id, algorithm, privateKey }: SigningKey): JWK {
  const members = publicMembers.filter((member) => member in privateKey)
  return {
    ...Object.fromEntries(members.map((member) => [member, privateKey[member]])),
    kid: id,
    alg: algorithm,
    use: 'sig',
  } as JWK
}
