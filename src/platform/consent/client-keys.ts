import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  errors as joseErrors,
  jwtVerify,
} from 'jose'
import type { Client } from 'oidc-provider'
import type { FetchKeySet } from './fetch-key-set.ts'

/** How long after a fetch the key set of a URL is not fetched again, whatever others send. */
const refetchMs = 60_000

/** How many key sets are kept. */
const urlsMax = 1000

/** Verifies the client assertions of an endpoint that the OpenID provider does not have. */
export interface ClientKeys {
  /** Rejects if no public key of the client verifies the assertion. */
  verify(client: Client, assertion: string, options: JWTVerifyOptions): Promise<JWTPayload>
}

export function openClientKeys(fetchKeySet: FetchKeySet): ClientKeys {
  /** By their URL, the one that was added last at the end. */
  const remote = new Map<string, RemoteKeySet>()
  const readRemote = (url: string): RemoteKeySet => {
    const [oldest] = remote.keys()
    if (remote.size >= urlsMax && !remote.has(url) && oldest !== undefined) remote.delete(oldest)
    return remote.getOrInsertComputed(url, () => openRemote(url, fetchKeySet))
  }
  return {
    async verify({ jwks, jwksUri }, assertion, options) {
      if (jwksUri === undefined) {
        const keys = (jwks?.keys ?? []).map((key) => ({ ...key }))
        return verifyWithEach(createLocalJWKSet({ keys }), assertion, options)
      }
      const keySet = readRemote(jwksUri)
      try {
        return await verifyWithEach(keySet, assertion, options)
      } catch (error) {
        // A new key may have the ID of an earlier one.
        const isWrong = error instanceof joseErrors.JWSSignatureVerificationFailed
        if (!isWrong || keySet.coolingDown) throw error
        await keySet.reload()
        return verifyWithEach(keySet, assertion, options)
      }
    },
  }
}

type RemoteKeySet = ReturnType<typeof createRemoteJWKSet>

function openRemote(url: string, fetchKeySet: FetchKeySet): RemoteKeySet {
  return createRemoteJWKSet(new URL(url), {
    [customFetch]: fetchKeySet,
    cooldownDuration: refetchMs,
    // Keys are fetched again for an assertion that they do not verify. If that fails, they stay in use.
    cacheMaxAge: Infinity,
  })
}

/** Several keys may fit: a key need not have an ID. */
async function verifyWithEach(
  find: JWTVerifyGetKey,
  assertion: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(assertion, find, options)).payload
  } catch (error) {
    if (!(error instanceof joseErrors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return (await jwtVerify(assertion, key, options)).payload
      } catch (failure) {
        if (!(failure instanceof joseErrors.JWSSignatureVerificationFailed)) throw failure
      }
    }
    throw new joseErrors.JWSSignatureVerificationFailed()
  }
}
