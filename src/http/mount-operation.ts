import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Access } from '../auth/access.ts'
import type { IssuedToken } from '../auth/client-store.ts'
import {
  type Actor,
  ContractError,
  type Input,
  type Operation,
  permits,
  problemsMax,
  type Scope,
} from '../contract/index.ts'
import type { Answer } from '../platform/catalogue/handler.ts'
import { type HttpApp, noteValidToken, toFastifyPath } from './app.ts'
import { sendJson, untilSent } from './json.ts'
import { createRequestReader } from './request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The API client or the person that the access token was issued to, and the scopes of the token. */
    client?: Actor
    scopes?: readonly Scope[]
    /** Verifies the session of a browser, which the request has instead of a token. */
    verifySession?: () => Promise<IssuedToken | undefined>
  }
}

/** The whole path of a request: access token of an API client, parsing, handler, response. */
export function mountOperation<Mounted extends Operation>(
  app: HttpApp,
  operation: Mounted,
  access: Access,
  handle: (input: Input<Mounted>, request: FastifyRequest, reply: FastifyReply) => Promise<Answer>,
  route: Pick<RouteOptions, 'bodyLimit' | 'preValidation'> = {},
): void {
  const { readParams, readInput } = createRequestReader(operation, problemsMax)
  const authenticate = async (request: FastifyRequest, reply: FastifyReply) => {
    const { client, scopes } = await authenticateClient(request, operation, access)
    request.client = client
    request.scopes = scopes
    noteValidToken(reply)
  }
  /** Before the body is received. Without a promise, which every public request would wait for. */
  const checkPath = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    readParams(request.params)
    // Public data: readable from any origin, and cacheable if revalidated.
    if (operation.crossOrigin) {
      reply.headers({ 'access-control-allow-origin': '*', 'cache-control': 'no-cache' })
    }
    done()
  }
  app.route({
    ...route,
    method: operation.method,
    url: toFastifyPath(operation),
    config: { operation },
    onRequest: operation.protection === 'clientToken' ? [authenticate, checkPath] : checkPath,
    handler: async (request, reply) => {
      const input = readInput(request) as Input<Mounted>
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
  { headers, verifySession }: FastifyRequest,
  operation: Operation,
  access: Access,
): Promise<IssuedToken> {
  const [, token] = /^bearer +([\w-]+)$/i.exec(headers.authorization ?? '') ?? []
  const verify = token === undefined ? verifySession : () => access.verify(token)
  const issued = await verify?.()
  if (!issued) throw new ContractError('unauthorized')
  if (operation.scope && !permits(issued.scopes, operation.scope))
    throw new ContractError('insufficient_scope')
  return issued
}
