import { importJWK, type JWK, SignJWT } from 'jose'

/** A private JWK with its key id and algorithm. */
export type SigningKey = JWK & { readonly kid: string; readonly alg: string }

/** Long enough for a slow connection. Each token is used once. */
const tokenSeconds = 300

/** Returns a function that signs a single-use token for a resource. */
export function openSigner(
  key: SigningKey,
  subdomain: string,
): (resource: string) => Promise<string> {
  let imported: ReturnType<typeof importJWK> | undefined
  return async (resource) => {
    // Imported on first use, so that an invalid key rejects the call instead of causing an unhandled rejection.
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
