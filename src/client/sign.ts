import { importJWK, type JWK, SignJWT } from 'jose'

/** A private key as a JWK. It says itself which one it is and what it signs with. */
export type SigningKey = JWK & { readonly kid: string; readonly alg: string }

/** Long enough for a slow connection; a token is good for one use anyway. */
const tokenSeconds = 300

/** Makes a signer: each call gives a fresh token for one use of one resource. */
export function openSigner(
  key: SigningKey,
  subdomain: string,
): (resource: string) => Promise<string> {
  let imported: ReturnType<typeof importJWK> | undefined
  return async (resource) => {
    // Not before it is needed: a key that is no good fails the call, and nothing else.
    imported ??= importJWK(key, key.alg)
    const now = Math.floor(Date.now() / 1000)
    return new SignJWT()
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT' })
      .setIssuer(subdomain)
      .setSubject(subdomain)
      .setAudience(resource)
      .setIssuedAt(now)
      .setExpirationTime(now + tokenSeconds)
      .setJti(crypto.randomUUID())
      .sign(await imported)
  }
}
