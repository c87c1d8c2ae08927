import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { flowSeconds } from '../contract/consent-flows.ts'
import { ContractError } from '../contract/index.ts'
import type { Consent } from '../platform/consent/consent.ts'
import { openidRoutes } from '../platform/consent/openid-provider.ts'
import { iconType, renderIcon } from '../platform/consent/pages/icon.ts'
import { renderStylesheet } from '../platform/consent/pages/stylesheet.ts'
import { revocationPath } from '../platform/consent/revoke-arrangement.ts'
import { type HttpApp, type Route, toFastifyPath } from './app.ts'
import { groupAddress, resolveCallerAddress, type TrustedProxies } from './caller-address.ts'
import { mountCds } from './cds-app.ts'
import { formatCookie, readCookie } from './cookies.ts'
import { dashboardPaths, mountDashboard } from './dashboard-app.ts'
import { noteFailure, retryAfterDefaultSeconds } from './error-handler.ts'
import { interactionHeader } from './interaction-id.ts'
import {
  formBytesMax,
  isCrossSite,
  pageHeaders,
  preparePages,
  sendPage,
  toForm,
} from './page-response.ts'
import { mountRevocation } from './revocation-app.ts'

const flowCookie = 'holdfast_flow'

/** The form with the accounts, of which a customer may have many. */
const accountsFormBytesMax = 512 * 1024

/** The URL of an asset contains a digest of it. */
const assetSeconds = 365 * 24 * 3600

/** A file that the pages need. */
export interface Asset {
  readonly path: string
  readonly type: string
  readonly content: Buffer
}

export interface ConsentMount {
  /** Of the issuer. */
  readonly origin: string
  readonly basePath: string
  readonly routes: readonly Route[]
  mount(app: HttpApp): void
}

export interface ConsentMountOptions {
  readonly assets: readonly Asset[]
  readonly trustedProxies: TrustedProxies | undefined
}

/** The stylesheet, the icon and the logo, by the settings of the brand. */
export function createAssets(
  basePath: string,
  colour: string,
  logo?: { readonly type: string; readonly extension: string; readonly content: Buffer },
): { readonly stylesheet: Asset; readonly icon: Asset; readonly logo?: Asset } {
  const toAsset = (name: string, extension: string, type: string, content: Buffer): Asset => {
    const digest = createHash('sha256').update(content).digest('base64url').slice(0, 12)
    return { path: `${basePath}/consent/assets/${name}-${digest}.${extension}`, type, content }
  }
  const styles = Buffer.from(renderStylesheet(colour))
  return {
    stylesheet: toAsset('style', 'css', 'text/css; charset=utf-8', styles),
    icon: toAsset('icon', 'svg', iconType, Buffer.from(renderIcon(colour))),
    ...(logo && { logo: toAsset('logo', logo.extension, logo.type, logo.content) }),
  }
}

/** The consent role over HTTP: the OpenID provider, the pages of the flow, and what they need. */
export function createConsentMount(consent: Consent, options: ConsentMountOptions): ConsentMount {
  const { basePath } = consent
  const provider = openidRoutes.map(({ method, path }) => ({ method, path: basePath + path }))
  // RFC 8414 puts the well-known part before the path of the issuer.
  const metadata = {
    method: 'GET',
    path: `/.well-known/oauth-authorization-server${basePath}`,
  } as const
  const page = `${basePath}/consent/{uid}`
  const pages = (['GET', 'POST'] as const).map((method) => ({ method, path: page }))
  const assets = options.assets.map(({ path }) => ({ method: 'GET', path }) as const)
  const consents = dashboardPaths.flatMap((path) =>
    (['GET', 'POST'] as const).map((method) => ({ method, path: basePath + path })),
  )
  const revocation = { method: 'POST', path: basePath + revocationPath } as const
  const openid = basePath === '' ? provider : [...provider, metadata]
  return {
    origin: consent.origin,
    basePath,
    routes: [...openid, ...pages, ...consents, revocation, ...assets],
    mount(app) {
      app.register(async (scope) => {
        // The OpenID provider reads bodies itself.
        scope.removeAllContentTypeParsers()
        scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
        for (const { method, path } of openid) mountOpenid(scope, consent, method, path)
      })
      app.register(async (scope) => mountPages(scope, consent, page, options))
      app.register(async (scope) => mountDashboard(scope, consent, options.trustedProxies))
      app.register(async (scope) => mountRevocation(scope, consent))
      for (const asset of options.assets) mountAsset(app, asset)
      mountCds(app, consent)
    },
  }
}

function mountOpenid(scope: HttpApp, { openid, basePath }: Consent, method: string, path: string) {
  const wellKnown = '/.well-known/oauth-authorization-server'
  scope.route({
    method,
    url: toFastifyPath({ path }),
    config: { endpoint: 'openid' },
    handler: async (request, reply) => {
      // Before the reply is hijacked, so that an error gets a response.
      const provider = await openid.current()
      reply.hijack()
      const { raw } = reply
      for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...pageHeaders() })) {
        if (value !== undefined) raw.setHeader(name, value)
      }
      if (path === wellKnown + basePath) request.raw.url = basePath + wellKnown
      await openid.handle(provider, request.raw, raw, (cause) => {
        noteFailure(request, new ContractError('unavailable', cause.message, { cause }))
        raw.setHeader('retry-after', retryAfterDefaultSeconds)
      })
    },
  })
}

function mountPages(
  scope: HttpApp,
  consent: Consent,
  path: string,
  { trustedProxies }: ConsentMountOptions,
): void {
  const { basePath, origin, brand, answerPage } = consent
  preparePages(scope, brand, 'Nothing was shared.')
  const requireChoice = async ({ params, headers }: FastifyRequest): Promise<void> => {
    const { uid } = params as { readonly uid: string }
    if (await consent.isChoosingAccounts(uid, readCookie(headers.cookie, flowCookie))) return
    throw new ContractError('body_too_large')
  }
  scope.route({
    method: ['GET', 'POST'],
    url: toFastifyPath({ path }),
    config: { endpoint: 'consent-page' },
    bodyLimit: accountsFormBytesMax,
    async onRequest(request) {
      if (Number(request.headers['content-length'] ?? 0) > formBytesMax)
        await requireChoice(request)
    },
    async preParsing(request, _reply, payload) {
      if (request.headers['content-length'] !== undefined) return payload
      const requireLong = () => requireChoice(request)
      return Readable.from(limitForm(payload, requireLong), { objectMode: false })
    },
    handler: async (request, reply) => {
      const { uid } = request.params as { readonly uid: string }
      const answer = await answerPage({
        uid,
        secret: readCookie(request.headers.cookie, flowCookie),
        form: request.method === 'POST' ? toForm(request.body) : undefined,
        source: groupAddress(resolveCallerAddress(request.raw, trustedProxies)),
        isCrossSite: isCrossSite(request, origin),
        interactionId: String(reply.getHeader(interactionHeader)),
        raw: request.raw,
        response: reply.raw,
      })
      const url = `${basePath}/consent/${uid}`
      if (answer.secret !== undefined) {
        reply.header(
          'set-cookie',
          formatCookie(flowCookie, answer.secret, {
            path: url,
            seconds: flowSeconds,
            isSecure: origin.startsWith('https:'),
            sameSite: 'Lax',
          }),
        )
      }
      reply.status(answer.status)
      if (answer.location !== undefined)
        return reply.header('location', answer.location || url).send()
      return sendPage(reply, answer.html ?? '', answer.formTarget)
    },
  })
}

/** Counts a form of unknown length while it is received. `requireLong` throws if a long one is not accepted. */
async function* limitForm(payload: Readable, requireLong: () => Promise<void>) {
  let received = 0
  // A destroyed request could not be answered.
  for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
    const isShort = received <= formBytesMax
    received += chunk.length
    if (isShort && received > formBytesMax) await requireLong()
    yield chunk
  }
}

function mountAsset(app: HttpApp, { path, type, content }: Asset): void {
  app.route({
    method: 'GET',
    url: path,
    config: { endpoint: 'consent-asset' },
    handler: async (_request, reply) => {
      reply.headers({
        ...pageHeaders(),
        'cache-control': `public, max-age=${assetSeconds}, immutable`,
      })
      return reply.type(type).send(content)
    },
  })
}
