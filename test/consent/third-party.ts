import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import * as openid from 'openid-client'
import type { Profile, ThirdParty } from '../../src/platform/consent/store.ts'
import { issuer, redirectUri } from './addresses.ts'
import type { ConsentPlatform } from './platform.ts'

const dataScopes = ['bank:accounts.basic:read', 'bank:transactions:read']
export const requestedScopes = ['openid', 'profile', 'email', ...dataScopes]

/** A third party with a real OpenID client. */
export interface TestThirdParty {
  readonly id: string
  readonly config: openid.Configuration
  readonly dpop: openid.DPoPHandle
  readonly keys: Awaited<ReturnType<typeof generateKeyPair>>
  readonly profile: Profile
  /** Its public key. */
  readonly jwk: object
  /** Pushes an authorization request, and returns the URL for the customer. */
  start(parameters?: Record<string, string>): Promise<Started>
  exchange(callback: URL, started: Started): Promise<TokenSet>
}

export interface Started {
  readonly url: URL
  readonly verifier: string
  readonly state: string
  readonly nonce: string
}

export type TokenSet = openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers

/** Sends requests for the issuer to the port, as its proxy would. */
export function fetchFrom(port: number): openid.CustomFetch {
  return (url, options) => {
    const target = new URL(url)
    return fetch(
      `http://127.0.0.1:${port}${target.pathname}${target.search}`,
      options as RequestInit,
    )
  }
}

/** Registers a third party with a new key. */
export async function addThirdPartyWithKey(
  { addThirdParty }: Pick<ConsentPlatform, 'addThirdParty'>,
  alg: 'ES256' | 'PS256',
  profile: Profile,
  fields: Partial<ThirdParty> = {},
) {
  const keys = await generateKeyPair(alg, { extractable: true })
  const [id, kid] = [fields.id ?? randomUUID(), randomUUID()]
  const jwk = { ...(await exportJWK(keys.publicKey)), kid, alg, use: 'sig' }
  await addThirdParty({
    id,
    name: 'Example Budget',
    profile,
    redirectUris: [redirectUri],
    scopes: requestedScopes,
    keys: { jwks: { keys: [jwk] } },
    created: Temporal.Now.instant(),
    ...fields,
  })
  return { id, keys, jwk, key: { key: keys.privateKey as CryptoKey, kid } }
}

export async function registerThirdParty(
  platform: ConsentPlatform,
  profile: Profile = 'plain',
  fields: Partial<ThirdParty> = {},
): Promise<TestThirdParty> {
  const { id, keys, jwk, key } = await addThirdPartyWithKey(platform, 'ES256', profile, fields)
  const config = await openid.discovery(new URL(issuer), id, undefined, openid.PrivateKeyJwt(key), {
    [openid.customFetch]: fetchFrom(platform.port),
  })
  if (profile === 'cds') openid.useJwtResponseMode(config)
  const dpop = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'))

  return {
    id,
    config,
    dpop,
    keys: keys as Awaited<ReturnType<typeof generateKeyPair>>,
    profile,
    jwk,
    async start(parameters = {}) {
      const verifier = openid.randomPKCECodeVerifier()
      const [state, nonce] = [openid.randomState(), openid.randomNonce()]
      const all = {
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: requestedScopes.join(' '),
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...parameters,
      }
      const { response_mode: responseMode } = parameters
      // The client would replace it.
      const mode = responseMode === undefined ? {} : { response_mode: responseMode }
      const pushed =
        profile === 'cds'
          ? (
              await openid.buildAuthorizationUrlWithJAR(config, all, key, {
                [openid.modifyAssertion]: (_header, payload) => {
                  payload['nbf'] = payload['iat']
                  payload['exp'] = Number(payload['iat']) + 300
                  Object.assign(payload, mode)
                  if (typeof payload['claims'] === 'string') {
                    payload['claims'] = JSON.parse(payload['claims'])
                  }
                },
              })
            ).searchParams
          : all
      const url = await openid.buildAuthorizationUrlWithPAR(config, pushed, { DPoP: dpop })
      return { url, verifier, state, nonce }
    },
    exchange: (callback, { verifier, state, nonce }) =>
      openid.authorizationCodeGrant(
        config,
        callback,
        {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        },
        undefined,
        { DPoP: dpop },
      ),
  }
}

export function readUserInfo({ config, dpop }: TestThirdParty, tokens: TokenSet) {
  const subject = tokens.claims()?.sub ?? ''
  return openid.fetchUserInfo(config, tokens.access_token, subject, { DPoP: dpop })
}

/** The claims parameter of the Consumer Data Standards. */
export function cdsClaims(sharingDuration: number): { readonly claims: string } {
  const acr = { essential: true, values: ['urn:cds.au:cdr:2'] }
  return {
    claims: JSON.stringify({ sharing_duration: sharingDuration, id_token: { acr } }),
  }
}
