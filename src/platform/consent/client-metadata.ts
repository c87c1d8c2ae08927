import type { AdapterPayload, Client } from 'oidc-provider'
import type { SigningKey } from '../../auth/signing-key-store.ts'
import type { Profile, ThirdParty } from './store.ts'

/** The signature algorithms of FAPI. */
export const fapiAlgorithms = ['PS256', 'ES256'] as const
export type FapiAlgorithm = (typeof fapiAlgorithms)[number]

/** Whether a signing key is in use, and can sign the tokens of third parties. */
export function isFapiKey({ algorithm, retired }: SigningKey): boolean {
  return retired === undefined && fapiAlgorithms.some((name) => name === algorithm)
}

/** How tokens are bound to a third party: to its TLS certificate, or to a key with DPoP. */
export type TokenBinding = 'mtls' | 'dpop'

/** The name of the client metadata with the profile of a third party. */
export const profileProperty = 'profile'

/** How the response to an authorization request is sent. */
export const responseModes: Readonly<Record<Profile, string>> = { plain: 'query', cds: 'jwt' }

/** The FAPI profile of a client. */
export function readFapiProfile(client: Client | undefined): '1.0 Final' | '2.0' {
  return client?.[profileProperty] === 'cds' ? '1.0 Final' : '2.0'
}

/** A third party as client metadata of OpenID Connect. Each profile has one way to do each thing. */
export function toClientMetadata(
  { id, name, profile, redirectUris, scopes, keys }: ThirdParty,
  algorithm: FapiAlgorithm,
  binding: TokenBinding,
): AdapterPayload {
  const isCds = profile === 'cds'
  return {
    client_id: id,
    client_name: name,
    [profileProperty]: profile,
    redirect_uris: [...redirectUris],
    scope: scopes.join(' '),
    ...('jwks' in keys
      ? { jwks: { keys: keys.jwks.keys.map((key) => ({ ...key })) } }
      : { jwks_uri: keys.jwksUrl }),
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    response_modes: [responseModes[profile]],
    token_endpoint_auth_method: 'private_key_jwt',
    subject_type: 'pairwise',
    id_token_signed_response_alg: algorithm,
    authorization_signed_response_alg: algorithm,
    require_pushed_authorization_requests: true,
    require_signed_request_object: isCds,
    dpop_bound_access_tokens: binding === 'dpop',
    ...(binding === 'mtls' && { tls_client_certificate_bound_access_tokens: true }),
  }
}
