import type { IncomingMessage, ServerResponse } from 'node:http'
import { type JWKS, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { SigningKey, SigningKeyStore } from '../auth/signing-key-store.ts'
import { fapiAlgorithms, isFapiKey } from './client-metadata.ts'
import { readBasePath } from './issuer-path.ts'
import {
  type ConfigurationOptions,
  cookieNames,
  createConfiguration,
  routes,
} from './openid-configuration.ts'

/** How long a process uses its copy of the signing keys. */
const keysMsDefault = 5000

/** The paths of the OpenID provider, below the path of the issuer. */
export const openidRoutes = [
  { method: 'GET', path: '/.well-known/openid-configuration' },
  { method: 'GET', path: '/.well-known/oauth-authorization-server' },
  { method: 'GET', path: routes.authorization },
  { method: 'GET', path: `${routes.authorization}/{uid}` },
  { method: 'GET', path: routes.jwks },
  { method: 'POST', path: routes.introspection },
  { method: 'POST', path: routes.pushed_authorization_request },
  { method: 'POST', path: routes.revocation },
  { method: 'POST', path: routes.token },
  { method: 'GET', path: routes.userinfo },
  { method: 'POST', path: routes.userinfo },
] as const

export interface OpenidOptions extends Omit<ConfigurationOptions, 'keys'> {
  readonly signingKeys: SigningKeyStore
  /** How long the copy of the signing keys is used. */
  readonly keysMs?: number | undefined
  /** Called with an error that is not the client's. */
  readonly onError: (error: Error, request: IncomingMessage) => void
}

export interface OpenidProvider {
  /** Answers a request to one of `openidRoutes`. `request.url` begins with the path of the issuer. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** The provider with the present signing keys. */
  current(): Promise<Provider>
}

/** Throws if there is no signing key of an algorithm that FAPI allows. */
export async function openOpenidProvider(options: OpenidOptions): Promise<OpenidProvider> {
  const { issuer, signingKeys, keysMs = keysMsDefault } = options
  const { host, protocol } = new URL(issuer)
  const mountPath = readBasePath(issuer)
  let opened = createProvider(options, await signingKeys.list())
  let checkedAt = performance.now()

  /** A new key is used without a restart. If the keys cannot be read, the present ones stay in use. */
  const current = async (): Promise<Provider> => {
    if (performance.now() - checkedAt < keysMs) return opened.provider
    checkedAt = performance.now()
    const keys = await signingKeys.list().catch(() => undefined)
    if (keys && identify(selectKeys(keys)) !== opened.keys) opened = createProvider(options, keys)
    return opened.provider
  }

  return {
    current,
    async handle(request, response) {
      const provider = await current()
      const { url = '', headers } = request
      // URLs and cookies depend on the configured issuer, never on headers that the client chose.
      Object.assign(headers, {
        host,
        'x-forwarded-host': host,
        'x-forwarded-proto': protocol.slice(0, -1),
      })
      delete headers['x-forwarded-for']
      headers.cookie = withoutSession(headers.cookie ?? '')
      Object.assign(request, { originalUrl: url, url: url.slice(mountPath.length) })
      await provider.callback()(request, response)
    },
  }
}

/**
 * A session of an earlier flow is never continued: each flow authenticates its customer. This also protects against
 * session fixation.
 */
function withoutSession(cookies: string): string {
  return cookies
    .split(';')
    .filter((cookie) => !cookie.trimStart().startsWith(cookieNames.session))
    .join(';')
}

function createProvider(options: OpenidOptions, stored: readonly SigningKey[]) {
  const selected = selectKeys(stored)
  if (selected.length === 0) {
    throw new Error(
      `no signing key for consent: run holdfast keys add --algorithm ${fapiAlgorithms.join(' or ')}`,
    )
  }
  const keys: JWKS = {
    keys: selected.map(({ id, algorithm, privateKey }) => ({
      ...privateKey,
      kid: id,
      alg: algorithm,
      use: 'sig',
    })),
  }
  const provider = new Provider(options.issuer, createConfiguration({ ...options, keys }))
  provider.proxy = true
  provider.use(async (ctx, next) => {
    await next()
    addArrangementId(ctx as unknown as KoaContextWithOIDC)
  })
  const report = (error: Error, ctx?: { readonly req: IncomingMessage }): void => {
    if (ctx) options.onError(error, ctx.req)
  }
  provider.on('server_error', (ctx, error) => report(error, ctx))
  // An event of Koa, which would otherwise print the error.
  provider.on('error' as 'server_error', report as never)
  return { provider, keys: identify(selected) }
}

/** Newest first: the first one signs. */
function selectKeys(keys: readonly SigningKey[]): readonly SigningKey[] {
  return keys.filter(isFapiKey)
}

function identify(keys: readonly SigningKey[]): string {
  return keys.map(({ id }) => id).join(' ')
}

/** The Consumer Data Standards name the arrangement in responses with a token or about one. */
function addArrangementId({ oidc, body, status }: KoaContextWithOIDC): void {
  if (status !== 200 || (oidc?.route !== 'token' && oidc?.route !== 'introspection')) return
  const { AccessToken, RefreshToken } = oidc.entities
  const grantId = (AccessToken ?? RefreshToken)?.grantId
  const isAbout = oidc.route === 'token' || (body as { readonly active?: boolean }).active === true
  if (isAbout && grantId !== undefined)
    Object.assign(body as object, { cdr_arrangement_id: grantId })
}
