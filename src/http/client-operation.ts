import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../auth/access.ts'
import type { IssuedToken } from '../auth/client-store.ts'
import {
  ContractError,
  type Operation,
  permits,
  problemsMax,
  type Scope,
} from '../contract/index.ts'
import type { Answer } from '../platform/catalogue/handler.ts'
import type { Author } from '../platform/catalogue/store.ts'
import { type HttpApp, noteValidToken, toFastifyPath } from './app.ts'
import { sendJson, untilSent } from './json.ts'
import { createRequestReader, type RawQuery } from './request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The API client that the access token was issued to, and the scopes of the token. */
    client?: Author
    scopes?: readonly Scope[]
  }
}

/** The validated parts of a request. */
export interface ReadRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** The whole path of a request of an API client: access token, parsing, handler, response. */
export function mountClientOperation(
  app: Pick<HttpApp, 'route'>,
  operation: Operation,
  access: Access,
  handle: (input: ReadRequest, request: FastifyRequest, reply: FastifyReply) => Promise<Answer>,
): void {
  const read = createRequestReader(operation, problemsMax)
  const authenticate = async (request: FastifyRequest, reply: FastifyReply) => {
    const { client, scopes } = await authenticateClient(request, operation, access)
    request.client = client
    request.scopes = scopes
    noteValidToken(reply)
  }
  /** Before the body is received. Without a promise, which every public request would wait for. */
  const checkPath = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    read.params(request.params as Record<string, string>)
    // Public data: readable from any origin, and cacheable if revalidated.
    if (operation.crossOrigin) {
      reply.headers({ 'access-control-allow-origin': '*', 'cache-control': 'no-cache' })
    }
    done()
  }
  app.route({
    method: operation.method,
    url: toFastifyPath(operation),
    config: { operation },
    onRequest: operation.protection === 'clientToken' ? [authenticate, checkPath] : checkPath,
    handler: async (request, reply) => {
      const input = {
        params: read.params(request.params as Record<string, string>),
        query: read.query(request.query as RawQuery),
        headers: read.headers(request.headers),
        body: read.body(request.body),
      }
      const { headers = {}, body, status } = await handle(input, request, reply)
      // The handler streams the response.
      if (reply.sent) return undefined
      reply.headers(headers).status(status ?? operation.status)
      return untilSent(body === undefined ? reply.send() : sendJson(reply, body))
    },
  })
}

/** Rejects if the token is missing, has ended or lacks the scope of the operation. */
export async function authenticateClient(
  { headers }: FastifyRequest,
  operation: Operation,
  access: Access,
): Promise<IssuedToken> {
  const [, token] = /^bearer +([\w-]+)$/i.exec(headers.authorization ?? '') ?? []
  const issued = token === undefined ? undefined : await access.verify(token)
  if (!issued) throw new ContractError('unauthorized')
  if (operation.scope && !permits(issued.scopes, operation.scope))
    throw new ContractError('insufficient_scope')
  return issued
}
