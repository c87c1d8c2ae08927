import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { flowSeconds } from '../contract/consent-flows.ts'
import { ContractError } from '../contract/index.ts'
import { toCdsErrorList } from '../platform/cds/errors.ts'
import type { Consent } from '../platform/consent/consent.ts'
import { sessionSeconds, stoppedParameter } from '../platform/consent/dashboard.ts'
import { type OpenidRoute, openidRoutes } from '../platform/consent/openid-provider.ts'
import { iconType, renderIcon } from '../platform/consent/pages/icon.ts'
import { renderStylesheet } from '../platform/consent/pages/stylesheet.ts'
import { revocationPath } from '../platform/consent/paths.ts'
import { infosecOperations } from '../platform/usage/operations.ts'
import { type HttpApp, toFastifyPath } from './app.ts'
import type { TrustedProxies } from './caller-address.ts'
import { mountCds } from './cds-app.ts'
import { readCookie } from './cookies.ts'
import { noteFailure, retryAfterDefaultSeconds } from './error-handler.ts'
import { sendJson } from './json.ts'
import { acceptForms } from './json-body.ts'
import {
  formBytesMax,
  pageHeaders,
  preparePages,
  readPageRequest,
  sendPageResponse,
  toForm,
} from './page-response.ts'

const flowCookie = 'holdfast_flow'
const dashboardCookie = 'holdfast_dashboard'

/** The form with the accounts, of which a customer may have many. */
const accountsFormBytesMax = 512 * 1024

/** A client assertion is the longest part of a request to withdraw an arrangement. */
const revocationBytesMax = 64 * 1024

/** The URL of an asset contains a digest of it. */
const assetSeconds = 365 * 24 * 3600

/** A file that the pages need. */
export interface Asset {
  readonly path: string
  readonly type: string
  readonly content: Buffer
}

export interface Logo extends Omit<Asset, 'path'> {
  readonly extension: string
}

interface ConsentMountOptions {
  readonly assets: readonly Asset[]
  readonly trustedProxies: TrustedProxies | undefined
}

export type ConsentMount = ReturnType<typeof createConsentMount>

/** The stylesheet with its font, the icon and the logo, by the settings of the brand. */
export function createAssets(
  basePath: string,
  colour: string,
  logo?: Logo,
  font?: Buffer,
): {
  readonly stylesheet: Asset
  readonly icon: Asset
  readonly logo?: Asset
  readonly font?: Asset
} {
  const toAsset = (name: string, extension: string, type: string, content: Buffer): Asset => {
    const digest = createHash('sha256').update(content).digest('base64url').slice(0, 12)
    return { path: `${basePath}/consent/assets/${name}-${digest}.${extension}`, type, content }
  }
  const fontAsset = font && toAsset('inter', 'woff2', 'font/woff2', font)
  const styles = Buffer.from(renderStylesheet(colour, fontAsset?.path))
  return {
    stylesheet: toAsset('style', 'css', 'text/css; charset=utf-8', styles),
    icon: toAsset('icon', 'svg', iconType, Buffer.from(renderIcon(colour))),
    ...(fontAsset && { font: fontAsset }),
    ...(logo && { logo: toAsset('logo', logo.extension, logo.type, logo.content) }),
  }
}

/** The consent role over HTTP: the OpenID provider, the pages of the flow, and what they need. */
export function createConsentMount(consent: Consent, options: ConsentMountOptions) {
  const { origin, basePath, listCustomerRecords } = consent
  return {
    origin,
    basePath,
    listCustomerRecords,
    mount(app: HttpApp): void {
      app.register(async (scope) => {
        // The OpenID provider reads bodies itself.
        scope.removeAllContentTypeParsers()
        scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
        for (const { method, path, counted } of openidRoutes) {
          mountOpenid(scope, consent, { method, path: basePath + path, counted })
        }
        // RFC 8414 puts the well-known part before the path of the issuer.
        if (basePath !== '') {
          const counted = infosecOperations.metadata
          mountOpenid(scope, consent, { method: 'GET', path: wellKnown + basePath, counted })
        }
      })
      app.register(async (scope) => mountPages(scope, consent, options))
      app.register(async (scope) => mountDashboard(scope, consent, options))
      app.register(async (scope) => mountRevocation(scope, consent))
      for (const asset of options.assets) mountAsset(app, asset)
      mountCds(app, consent)
    },
  }
}

const wellKnown = '/.well-known/oauth-authorization-server'

function mountOpenid(
  scope: HttpApp,
  { openid, basePath }: Consent,
  { method, path, counted }: OpenidRoute,
) {
  scope.route({
    method,
    url: toFastifyPath({ path }),
    config: { endpoint: 'openid', counted },
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
      request.thirdPartyId = openid.readClient(request.raw)
    },
  })
}

function mountPages(
  scope: HttpApp,
  consent: Consent,
  { trustedProxies }: ConsentMountOptions,
): void {
  const { basePath, answerPage } = consent
  preparePages(scope, consent, 'Nothing was shared.')
  const requireChoice = async ({ params, headers }: FastifyRequest): Promise<void> => {
    const { uid } = params as { readonly uid: string }
    const secret = readCookie(headers.cookie, flowCookie)
    if (await consent.isChoosingAccounts({ uid, secret })) return
    throw new ContractError('body_too_large')
  }
  scope.route({
    method: ['GET', 'POST'],
    url: `${basePath}/consent/:uid`,
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
      const page = {
        cookie: flowCookie,
        path: `${basePath}/consent/${uid}`,
        seconds: flowSeconds,
        trustedProxies,
      }
      const answer = await answerPage({
        ...readPageRequest(request, reply, consent, page),
        uid,
        raw: request.raw,
        response: reply.raw,
      })
      return sendPageResponse(reply, answer, consent, page)
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

/** The list, the records of what was disclosed, one consent, and the confirmation that it shall end. */
const dashboardPaths = {
  '/consents': 'list',
  '/consents/records': 'records',
  '/consents/records.csv': 'records as CSV',
  '/consents/records.html': 'records as HTML',
  '/consents/:id': 'consent',
  '/consents/:id/stop': 'stop',
} as const

/** The pages on which a customer sees and withdraws consents. */
function mountDashboard(
  scope: HttpApp,
  consent: Consent,
  { trustedProxies }: ConsentMountOptions,
): void {
  const { basePath, answerDashboard } = consent
  const path = `${basePath}/consents`
  const page = { cookie: dashboardCookie, path, seconds: sessionSeconds, trustedProxies }
  preparePages(scope, consent, 'Nothing was changed.')
  for (const [path, shown] of Object.entries(dashboardPaths)) {
    scope.route({
      method: ['GET', 'POST'],
      url: basePath + path,
      config: { endpoint: 'dashboard' },
      bodyLimit: formBytesMax,
      handler: async (request, reply) => {
        const { id } = request.params as { readonly id?: string }
        const query = new Map(Object.entries(request.query as object))
        const before = query.get('before')
        const answer = await answerDashboard({
          ...readPageRequest(request, reply, consent, page),
          id,
          shown,
          isStopped: query.has(stoppedParameter),
          before: typeof before === 'string' ? before : undefined,
        })
        return sendPageResponse(reply, answer, consent, page)
      },
    })
  }
}

/** The endpoint at which a third party withdraws an arrangement. */
function mountRevocation(scope: HttpApp, { basePath, answerRevocation }: Consent): void {
  scope.removeAllContentTypeParsers()
  acceptForms(scope)
  scope.route({
    method: 'POST',
    url: basePath + revocationPath,
    config: {
      endpoint: 'arrangement-revocation',
      formatError: toCdsErrorList,
      counted: infosecOperations.arrangementRevocation,
    },
    bodyLimit: revocationBytesMax,
    handler: async (request, reply) => {
      const { status, body } = await answerRevocation(toForm(request.body))
      reply.status(status)
      return body ? sendJson(reply, JSON.stringify(body)) : reply.send()
    },
  })
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
