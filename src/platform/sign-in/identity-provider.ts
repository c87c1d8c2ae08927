import * as oauth from 'oauth4webapi'
import type { Actor, Scope } from '../../contract/index.ts'
import { type AccessRules, findScopes } from './access-rules.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { openDiscovery } from './discovery.ts'
import { describeError, SignInError } from './sign-in-error.ts'

interface IdentityProviderOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
  /** Where the browser goes after a sign-out. */
  readonly signedOutUri: string
  /** The claim that says what a person may do. */
  readonly claim: string
  readonly rules: AccessRules
  readonly clock: () => Temporal.Instant
  /** A monotonic clock, in seconds. */
  readonly seconds?: (() => number) | undefined
}

/** What the browser must bring back. */
export interface SignInProof {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

interface SignedInPerson {
  readonly user: Actor
  readonly scopes: readonly Scope[]
  readonly idToken: string
}

export type IdentityProvider = ReturnType<typeof openIdentityProvider>

/** Of each request to the identity provider. */
const timeoutMs = 5000

/** How much the clocks of the identity provider and of the platform may differ. */
const clockToleranceSeconds = 30

const nameLengthMax = 200

/** The identity provider of the data provider, at which people sign in with OpenID Connect. */
export function openIdentityProvider(options: IdentityProviderOptions) {
  const { issuer, clientId, clientSecret, redirectUri, clock } = options
  const issuerUrl = new URL(issuer)
  // The settings accept http only for this machine.
  const isInsecure = issuerUrl.protocol === 'http:'
  const createOptions = () => ({
    [oauth.customFetch]: boundedFetch,
    [oauth.allowInsecureRequests]: isInsecure,
    signal: AbortSignal.timeout(timeoutMs),
  })
  const discovery = openDiscovery(issuerUrl, createOptions, options.seconds)
  const createClient = (): oauth.Client => ({
    client_id: clientId,
    [oauth.clockTolerance]: clockToleranceSeconds,
    [oauth.clockSkew]: Math.round((clock().epochMilliseconds - Date.now()) / 1000),
  })
  const toUrl = (endpoint: string | undefined): URL | undefined => {
    const url = endpoint === undefined ? null : URL.parse(endpoint)
    const isAccepted = url?.protocol === 'https:' || (isInsecure && url?.protocol === 'http:')
    return url && isAccepted ? url : undefined
  }

  /** The claims of the ID token, which is verified. */
  const exchange = async (
    server: oauth.AuthorizationServer,
    client: oauth.Client,
    answer: URLSearchParams,
    { state, nonce, verifier }: SignInProof,
  ) => {
    const parameters = oauth.validateAuthResponse(server, client, answer, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      selectAuthentication(server, clientSecret),
      parameters,
      redirectUri,
      verifier,
      createOptions(),
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    // The library leaves this to TLS otherwise.
    await oauth.validateApplicationLevelSignature(server, response, createOptions())
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    // A subject is at most 255 ASCII characters (OpenID Connect Core, section 2).
    if (!claims || !/^[\x20-\x7e]{1,255}$/.test(claims.sub))
      throw new SignInError('rejected', 'the subject is invalid')
    return { tokens, claims }
  }

  /** Many identity providers return what the ID token lacks at the UserInfo endpoint alone. */
  const readUserInfo = async (
    server: oauth.AuthorizationServer,
    client: oauth.Client,
    accessToken: string,
    subject: string,
  ): Promise<oauth.UserInfoResponse> => {
    const response = await oauth.userInfoRequest(server, client, accessToken, createOptions())
    return oauth.processUserInfoResponse(server, client, subject, response)
  }

  return {
    /** What people see of it. */
    host: issuerUrl.host,
    claim: options.claim,
    isReachable: discovery.isReachable,

    /** Returns where the person signs in. Throws a `SignInError` if the identity provider does not respond. */
    async start(): Promise<{ readonly url: URL; readonly proof: SignInProof }> {
      const server = await discovery.readFresh()
      const url = toUrl(server.authorization_endpoint)
      if (!url) throw new SignInError('unreachable', 'no valid authorization endpoint')
      const proof = {
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
      }
      const parameters = {
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: selectScope(server),
        state: proof.state,
        nonce: proof.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(proof.verifier),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return { url, proof }
    },

    /** Verifies what the browser brought back. Throws a `SignInError`. */
    async complete(answer: URLSearchParams, proof: SignInProof): Promise<SignedInPerson> {
      try {
        const server = await discovery.read()
        const client = createClient()
        const { tokens, claims: idClaims } = await exchange(server, client, answer, proof)
        const isComplete = Object.hasOwn(idClaims, options.claim) && findName(idClaims)
        const claims =
          isComplete || server.userinfo_endpoint === undefined
            ? idClaims
            : {
                ...idClaims,
                ...(await readUserInfo(server, client, tokens.access_token, idClaims.sub)),
              }
        const claim = Object.hasOwn(claims, options.claim) ? claims[options.claim] : undefined
        return {
          user: { id: idClaims.sub, name: findName(claims) ?? idClaims.sub, issuer },
          scopes: findScopes(options.rules, claim),
          idToken: tokens.id_token ?? '',
        }
      } catch (error) {
        throw toSignInError(error)
      }
    },

    /** Where the browser signs out, if the identity provider has such an address and its metadata is known. */
    async findSignOutUrl(idToken: string): Promise<string | undefined> {
      const server = await discovery.read().catch(() => undefined)
      const url = toUrl(server?.end_session_endpoint)
      if (!url) return undefined
      url.searchParams.set('client_id', clientId)
      url.searchParams.set('id_token_hint', idToken)
      url.searchParams.set('post_logout_redirect_uri', options.signedOutUri)
      return url.href
    },
  }
}

/** `client_secret_basic` is the default. */
function selectAuthentication(
  {
    token_endpoint_auth_methods_supported: methods = ['client_secret_basic'],
  }: oauth.AuthorizationServer,
  secret: string,
): oauth.ClientAuth {
  const isBasic = methods.includes('client_secret_basic')
  return isBasic ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret)
}

/** `profile` is for the name. Some identity providers have a scope for groups, and reject an unknown one. */
function selectScope({ scopes_supported: supported = [] }: oauth.AuthorizationServer): string {
  return ['openid', 'profile', ...['groups'].filter((name) => supported.includes(name))].join(' ')
}

/** The first of the claims with a name that has visible characters. */
function findName(claims: Readonly<Record<string, unknown>>): string | undefined {
  return ['name', 'preferred_username', 'email']
    .map((claim) => claims[claim])
    .filter((value) => typeof value === 'string')
    .map((value) =>
      value
        .toWellFormed()
        .replaceAll(/[\p{C}\s]+/gu, ' ')
        .trim()
        .slice(0, nameLengthMax),
    )
    .find((name) => name !== '')
}

function toSignInError(error: unknown): SignInError {
  if (error instanceof SignInError) return error
  const reason = describeError(error)
  if (error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied')
    return new SignInError('denied', reason)
  const { code } = error as { readonly code?: unknown }
  if (code === oauth.JWT_TIMESTAMP_CHECK) return new SignInError('clock', reason)
  const { name, cause } = error as Error
  const isLost = name === 'TimeoutError' || (name === 'TypeError' && cause instanceof Error)
  return new SignInError(isLost ? 'unreachable' : 'rejected', reason)
}
