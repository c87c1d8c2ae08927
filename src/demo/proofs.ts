import { createHash, randomUUID, type webcrypto } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

const algorithm = 'ES256'
const assertionSeconds = 60

type Key = webcrypto.CryptoKey

export interface KeyPair {
  readonly privateKey: Key
  /** Public. */
  readonly jwk: JWK
}

export async function makeKeyPair(): Promise<KeyPair> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm)
  const jwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  return { privateKey, jwk: { ...jwk, kid, alg: algorithm, use: 'sig' } }
}

/** The third party authenticates with its key; there is no shared secret. */
export function signAssertion(
  key: KeyPair,
  { clientId, issuer }: { readonly clientId: string; readonly issuer: string },
): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: algorithm, kid: key.jwk.kid ?? '' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(`${assertionSeconds}s`)
    .sign(key.privateKey)
}

/** Proves the possession of the key that tokens are bound to, for one request. */
export function signProof(
  { privateKey, jwk }: KeyPair,
  method: string,
  url: string,
  accessToken?: string,
): Promise<string> {
  const { kty, crv, x, y } = jwk
  const hash =
    accessToken === undefined
      ? {}
      : { ath: createHash('sha256').update(accessToken).digest('base64url') }
  return new SignJWT({ htm: method, htu: url, ...hash })
    .setProtectedHeader({ alg: algorithm, typ: 'dpop+jwt', jwk: { kty, crv, x, y } as JWK })
    .setJti(randomUUID())
    .setIssuedAt()
    .sign(privateKey)
}
