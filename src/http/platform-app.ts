import type { FastifyRequest } from 'fastify'
import type { Access } from '../auth/access.ts'
import { toPublicKeySet } from '../auth/signing.ts'
import type { SigningKeyStore } from '../auth/signing-key-store.ts'
import type { Answer, CatalogueOperationId, Context, Handlers } from '../catalogue/handler.ts'
import { openPageCache, type PageCache } from '../catalogue/page-cache.ts'
import * as products from '../catalogue/products.ts'
import type { Author, CatalogueStore } from '../catalogue/store.ts'
import {
  accessOperations,
  ContractError,
  catalogueOperations,
  type Operation,
  permits,
  problemsMax,
} from '../contract/index.ts'
import { type AppOptions, type HttpApp, noteValidToken, openApp, toFastifyPath } from './app.ts'
import { sendJson } from './json.ts'
import { mountOpenApi, openApiRoutes } from './openapi-route.ts'
import { createRequestReader, type RawQuery } from './request.ts'
import { mountTokens } from './token-route.ts'

const handlers: Handlers = products

/** How long a client may cache the key set, in seconds. An unknown key id makes it fetch a new key sooner. */
const keySetSeconds = 300

export interface PlatformAppOptions extends AppOptions {
  /** The version of Holdfast, for the OpenAPI document. */
  readonly version: string
  readonly catalogue: CatalogueStore
  readonly access: Access
  readonly signingKeys: SigningKeyStore
  readonly clock: () => Temporal.Instant
}

/** The platform over HTTP: the catalogue, access tokens for it, and the public keys. */
export function openPlatformApp(options: PlatformAppOptions): HttpApp {
  const operations: Operation[] = [
    ...Object.values(catalogueOperations),
    ...Object.values(accessOperations),
  ]
  const app = openApp([...operations, ...openApiRoutes], options)
  mountOpenApi(app, 'platform', options.version)
  const pages = openPageCache()
  for (const id of Object.keys(catalogueOperations) as CatalogueOperationId[]) {
    mount(app, id, options, pages)
  }
  mountTokens(app, options.access, options.trustedProxies)
  mountKeys(app, options.signingKeys)
  return app
}

/** The whole path of a request: access token, parsing, handler, response. */
function mount(
  app: HttpApp,
  id: CatalogueOperationId,
  options: PlatformAppOptions,
  pages: PageCache,
): void {
  const operation: Operation = catalogueOperations[id]
  const read = createRequestReader(operation, problemsMax)
  const handler = handlers[id] as (input: unknown, context: Context) => Promise<Answer>
  const { catalogue: store, access, clock } = options

  app.route({
    method: operation.method,
    url: toFastifyPath(operation),
    config: { operation },
    onRequest: async (request, reply) => {
      if (operation.protection === 'clientToken') {
        request.client = await authenticateClient(request, operation, access)
        noteValidToken(request, reply)
      }
      // Public data: readable from any origin, and cacheable if revalidated.
      if (operation.crossOrigin) {
        reply.headers({ 'access-control-allow-origin': '*', 'cache-control': 'no-cache' })
      }
    },
    handler: async (request, reply) => {
      const input = {
        params: read.params(request.params as Record<string, string>),
        query: read.query(request.query as RawQuery),
        headers: read.headers(request.headers),
        body: read.body(request.body),
      }
      const context = { store, clock, pages, client: request.client }
      const { headers = {}, body, status } = await handler(input, context)
      reply.headers(headers).status(status ?? operation.status)
      return body === undefined ? reply.send() : sendJson(reply, body)
    },
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The API client that the access token was issued to. */
    client?: Author
  }
}

async function authenticateClient(
  { headers }: FastifyRequest,
  operation: Operation,
  access: Access,
): Promise<Author> {
  const [, token] = /^bearer +([\w-]+)$/i.exec(headers.authorization ?? '') ?? []
  const issued = token === undefined ? undefined : await access.verify(token)
  if (!issued) throw new ContractError('unauthorized')
  if (!permits(issued.scopes, operation.scope)) throw new ContractError('insufficient_scope')
  return issued.client
}

function mountKeys(app: HttpApp, signingKeys: SigningKeyStore): void {
  const operation: Operation = accessOperations.getKeySet
  app.route({
    method: operation.method,
    url: toFastifyPath(operation),
    config: { operation },
    handler: async (_request, reply) => {
      const body = JSON.stringify(toPublicKeySet(await signingKeys.list()))
      reply.header('cache-control', `public, max-age=${keySetSeconds}`)
      return sendJson(reply, body)
    },
  })
}
