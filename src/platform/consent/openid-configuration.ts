import { createHmac } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import {
  type Client,
  type Configuration,
  errors,
  interactionPolicy,
  type JWKS,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import { flowSeconds } from '../../contract/consent-flows.ts'
import type { Customer } from '../../contract/index.ts'
import { requireOwnArrangement } from './amendments.ts'
import { requireAssertionClaims } from './client-assertion.ts'
import {
  type FapiAlgorithm,
  fapiAlgorithms,
  profileProperty,
  readFapiProfile,
  type TokenBinding,
  toClientMetadata,
} from './client-metadata.ts'
import type { FetchKeySet } from './fetch-key-set.ts'
import { readBasePath } from './issuer-path.ts'
import { createOidcAdapter } from './oidc-adapter.ts'
import { openidPaths, revocationPath } from './paths.ts'
import { consumeOpened, countOpening } from './pushed-requests.ts'
import { acr, readSharingDuration, requireValidClaims } from './request-claims.ts'
import { consentScopes, identityClaims, openidScope, readClaims } from './scopes.ts'
import { accessTokenSeconds, codeSeconds, needsRefreshToken } from './sharing-duration.ts'
import type { ConsentStore, ThirdParty } from './store.ts'

const authMethods = ['private_key_jwt'] as const

/** A session only carries the result of a flow from one request to the next. */
const sessionSeconds = 60

/** The console of the same server has a cookie of its own, `holdfast_session`. */
export const cookieNames = {
  session: 'holdfast_authorization',
  interaction: 'holdfast_interaction',
  resume: 'holdfast_resume',
} as const

export interface ConfigurationOptions {
  readonly issuer: string
  readonly store: ConsentStore
  readonly clock: () => Temporal.Instant
  readonly binding: TokenBinding
  /** Whether a client certificate must be issued by the configured authority. Otherwise any is accepted: it only binds tokens. */
  readonly requiresAuthority: boolean
  readonly keys: JWKS
  /** The algorithm of what is signed for a third party. */
  readonly selectAlgorithm: (thirdParty: ThirdParty) => FapiAlgorithm
  readonly secrets: Readonly<Record<'cookies' | 'subjects', Buffer>>
  /** Reads the identity of a customer (C3). */
  readonly readCustomer: (customerId: string) => Promise<Customer>
  readonly renderError: NonNullable<Configuration['renderError']>
  readonly fetchKeySet: FetchKeySet
}

export function createConfiguration(options: ConfigurationOptions): Configuration {
  const { issuer, store, clock, binding, keys, secrets, readCustomer, renderError } = options
  const algorithms = [...fapiAlgorithms]
  const ownAlgorithms = algorithms.filter((name) => keys.keys.some(({ alg }) => alg === name))
  const cookie = {
    httpOnly: true,
    sameSite: 'lax',
    signed: true,
    secure: issuer.startsWith('https:'),
  } as const
  return {
    adapter: createOidcAdapter(store, clock, {
      toClientMetadata: (thirdParty) =>
        toClientMetadata(thirdParty, options.selectAlgorithm(thirdParty), binding),
      revokesGrant,
    }),
    jwks: keys,
    routes: openidPaths,
    cookies: {
      keys: [secrets.cookies.toString('base64url')],
      names: cookieNames,
      long: cookie,
      short: cookie,
    },
    scopes: [...consentScopes],
    claims: {
      [openidScope]: ['sub', 'acr', 'auth_time'],
      ...Object.fromEntries(
        Object.entries(identityClaims).map(([scope, claims]) => [scope, Object.keys(claims)]),
      ),
    },
    acrValues: [acr],
    discovery: {
      cdr_arrangement_revocation_endpoint: issuer + revocationPath,
      // Otherwise, OAuth clients would assume client_secret_basic (RFC 8414).
      introspection_endpoint_auth_methods_supported: authMethods,
      introspection_endpoint_auth_signing_alg_values_supported: algorithms,
      revocation_endpoint_auth_methods_supported: authMethods,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    },
    responseTypes: ['code'],
    subjectTypes: ['pairwise'],
    clientAuthMethods: [...authMethods],
    assertJwtClientAuthClaimsAndHeader: async (_ctx, claims, _header, client) =>
      requireAssertionClaims(issuer, client, claims),
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    enabledJWA: {
      authorizationSigningAlgValues: ownAlgorithms,
      clientAuthSigningAlgValues: algorithms,
      dPoPSigningAlgValues: algorithms,
      idTokenSigningAlgValues: ownAlgorithms,
      requestObjectSigningAlgValues: algorithms,
      userinfoSigningAlgValues: ownAlgorithms,
    },
    extraClientMetadata: { properties: [profileProperty] },
    extraParams: {
      // The OpenID provider would require one of the members that are optional in OpenID Connect.
      async claims(ctx, text) {
        requireValidClaims(text)
        await requireOwnArrangement(options, ctx)
      },
      async sharing_duration(ctx) {
        requireSharingDuration(ctx)
        // Unknown scopes are dropped. Without any other, there is nothing to consent to.
        const hasScope = ctx.oidc.requestParamOIDCScopes.size > 0
        if (!hasScope) throw new errors.InvalidScope('a known scope is required', '')
      },
    },
    features: createFeatures(options),
    fetch: options.fetchKeySet,
    ttl: {
      AccessToken: (ctx) => Math.min(accessTokenSeconds, secondsLeft(ctx, clock)),
      AuthorizationCode: codeSeconds,
      IdToken: accessTokenSeconds,
      Interaction: flowSeconds,
      RefreshToken: (ctx) => secondsLeft(ctx, clock),
      Session: sessionSeconds,
    },
    interactions: {
      policy: createPolicy(options),
      async url(ctx, interaction) {
        // Otherwise, the request would be rejected as used at the end of the flow.
        Object.assign(interaction, { parJti: undefined })
        await interaction.persist()
        await consumeOpened(ctx)
        return `${readBasePath(issuer)}/consent/${interaction.uid}`
      },
    },
    // Every request is a new consent. A grant of an earlier one is not used.
    async loadExistingGrant(ctx) {
      const grantId = ctx.oidc.result?.consent?.grantId
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId)
    },
    async findAccount(_ctx, customerId) {
      return {
        accountId: customerId,
        // UserInfo alone has data of the customer: an ID token may be stored and logged.
        async claims(use, scope) {
          const claims =
            use === 'userinfo' ? await readClaims(scope, () => readCustomer(customerId)) : {}
          return { ...claims, sub: customerId }
        },
      }
    },
    async pairwiseIdentifier(_ctx, accountId, client) {
      return createHmac('sha256', secrets.subjects)
        .update(JSON.stringify([client.clientId, accountId]))
        .digest('base64url')
    },
    expiresWithSession: async () => false,
    async issueRefreshToken(ctx) {
      const arrangement = await store.arrangements.find(ctx.oidc.entities.Grant?.jti ?? '', clock())
      return arrangement !== undefined && needsRefreshToken(arrangement)
    },
    rotateRefreshToken: false,
    revokeGrantPolicy: revokesGrant,
    renderError,
  }
}

function createFeatures(options: ConfigurationOptions): Configuration['features'] {
  const { binding, requiresAuthority } = options
  const isOwn = (client: Client, token: { readonly clientId?: string | undefined }) =>
    token.clientId === client.clientId
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: binding === 'dpop' },
    fapi: {
      enabled: true,
      profile: (_ctx, client) => readFapiProfile(client),
    },
    introspection: {
      enabled: true,
      // The Consumer Data Standards allow refresh tokens alone.
      allowedPolicy: async (_ctx, client, token) =>
        isOwn(client, token) &&
        (token.kind === 'RefreshToken' || readFapiProfile(client) === '2.0'),
    },
    jwtResponseModes: { enabled: true },
    mTLS: {
      enabled: binding === 'mtls',
      certificateBoundAccessTokens: binding === 'mtls',
      getCertificate({ socket }) {
        const { authorized, getPeerX509Certificate } = socket as TLSSocket
        if (requiresAuthority && !authorized) return undefined
        return getPeerX509Certificate?.call(socket)
      },
    },
    pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: true },
    requestObjects: { enabled: true },
    resourceIndicators: { enabled: false },
    revocation: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) => isOwn(client, token),
    },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: true },
  }
}

/** Authentication and consent happen in one flow, for every request. */
function createPolicy({ store, clock }: ConfigurationOptions) {
  const { Check, Prompt } = interactionPolicy
  const isDone = ({ oidc }: KoaContextWithOIDC) =>
    oidc.result?.login !== undefined && oidc.result.consent !== undefined
  const everyTime = new Check(
    'every_time',
    'the customer must be authenticated and consent',
    (ctx) => (isDone(ctx) ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT),
  )
  return [
    new Prompt(
      { name: 'login', requestable: true },
      async (ctx) => ({ ...(await countOpening(store, ctx, clock())) }),
      everyTime,
    ),
    new Prompt({ name: 'consent', requestable: true }),
  ]
}

/** A token does not outlast its arrangement. At least a second, since the provider requires a positive number. */
function secondsLeft(ctx: KoaContextWithOIDC, clock: () => Temporal.Instant): number {
  const { exp = 0 } = ctx.oidc.entities.Grant ?? {}
  return Math.max(1, exp - Math.floor(clock().epochMilliseconds / 1000))
}

/**
 * Whether the end of a token withdraws the arrangement. RFC 7009 allows it for the revocation of a refresh token; in the
 * Consumer Data Standards, there is an endpoint of its own for it.
 */
function revokesGrant({ oidc: { route, client, entities } }: KoaContextWithOIDC): boolean {
  if (route !== 'revocation') return true
  return entities.RefreshToken !== undefined && readFapiProfile(client) === '2.0'
}

function requireSharingDuration({ oidc }: KoaContextWithOIDC): void {
  if (readSharingDuration({ ...oidc.params }) !== undefined) return
  throw new errors.InvalidRequest('sharing_duration must be a whole number of seconds')
}
