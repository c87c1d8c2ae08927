import { decodeJwt, type JWTPayload } from 'jose'
import { type Client, errors, type Provider } from 'oidc-provider'
import type { ClientKeys } from './client-keys.ts'
import { fapiAlgorithms, readFapiProfile } from './client-metadata.ts'

/** How far in the future a client assertion may expire. Clients usually choose one to five minutes. */
const lifetimeSecondsMax = 3600

const toleranceSeconds = 15
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/**
 * FAPI 2.0 requires the issuer as the only audience. The lifetime is limited because the id of each assertion is stored
 * until it expires.
 */
export function requireAssertionClaims(
  issuer: string,
  client: Client,
  { aud, exp }: Readonly<Record<string, unknown>>,
): void {
  if (readFapiProfile(client) === '2.0' && aud !== issuer) {
    throw new errors.InvalidClientAuth('aud of the client assertion must be the issuer')
  }
  if (Number(exp) - Date.now() / 1000 > lifetimeSecondsMax) {
    throw new errors.InvalidClientAuth(
      `exp of the client assertion must be within ${lifetimeSecondsMax} seconds`,
    )
  }
}

/**
 * Authenticates a third party at an endpoint that the OpenID provider does not have, by its rules. Returns the ID of the
 * third party, or throws an error of the OpenID provider.
 */
export async function authenticateClient(
  provider: Provider,
  clientKeys: ClientKeys,
  url: string,
  form: URLSearchParams,
): Promise<string> {
  const assertion = form.get('client_assertion') ?? ''
  const isJwt = form.get('client_assertion_type') === assertionType
  const id = isJwt ? readSubject(assertion) : undefined
  const client = id === undefined ? undefined : await provider.Client.find(id)
  if (!client || (form.get('client_id') ?? id) !== id) {
    throw new errors.InvalidClientAuth('unknown client')
  }
  const claims = await verifyAssertion(provider, clientKeys, client, url, assertion)
  requireAssertionClaims(provider.issuer, client, claims)
  const { jti, exp = 0 } = claims
  if (typeof jti !== 'string' || jti === '') throw new errors.InvalidClientAuth('jti is required')
  const expires = exp + toleranceSeconds
  const isFirst = await provider.ReplayDetection.unique(client.clientId, jti, expires)
  if (!isFirst) throw new errors.InvalidClientAuth('the client assertion was used before')
  return client.clientId
}

function readSubject(assertion: string): string | undefined {
  try {
    return decodeJwt(assertion).sub
  } catch {
    return undefined
  }
}

async function verifyAssertion(
  provider: Provider,
  clientKeys: ClientKeys,
  client: Client,
  url: string,
  assertion: string,
): Promise<JWTPayload> {
  try {
    return await clientKeys.verify(client, assertion, {
      algorithms: [...fapiAlgorithms],
      issuer: client.clientId,
      audience: [provider.issuer, provider.urlFor('token'), url],
      requiredClaims: ['exp', 'jti'],
      clockTolerance: toleranceSeconds,
    })
  } catch (error) {
    // Of the assertion, of the keys, or of their URL: all are the third party's.
    throw new errors.InvalidClientAuth((error as Error).message)
  }
}
