import type { TLSSocket } from 'node:tls'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { rejectPath } from '../consent/cds/api.ts'
import { type CdsEndpointId, cdsBasePath, cdsEndpoints } from '../consent/cds/endpoints.ts'
import { CdsError, toCdsErrorList } from '../consent/cds/errors.ts'
import type { RawQuery } from '../consent/cds/query.ts'
import type { Consent } from '../consent/consent.ts'
import type { StoredArrangement } from '../consent/store.ts'
import { type HttpApp, noteValidToken, toFastifyPath } from './app.ts'
import type { Endpoint } from './endpoints.ts'
import { interactionHeader } from './interaction-id.ts'
import { sendJson } from './json.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The arrangement of a third party’s token. */
    arrangement?: StoredArrangement
  }
}

/** What logs and metrics call the endpoints. */
const labels: Readonly<Record<CdsEndpointId, Endpoint>> = {
  accounts: 'cds-accounts',
  balance: 'cds-balance',
  balances: 'cds-balances',
  balancesOfAccounts: 'cds-balances',
  transactions: 'cds-transactions',
  customer: 'cds-customer',
}

/** The longest list of account ids is shorter. */
const bodyBytesMax = 256 * 1024

const otherMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The endpoints of the Consumer Data Standards over HTTP. Every path below their base path gets an answer of theirs. */
export function mountCds(app: HttpApp, consent: Consent): void {
  const base = consent.basePath + cdsBasePath
  for (const id of Object.keys(cdsEndpoints) as CdsEndpointId[]) mountEndpoint(app, consent, id)
  app.route({
    method: otherMethods,
    url: `${base}/*`,
    config: { endpoint: 'cds-other', formatError: toCdsErrorList },
    // Before the body is received.
    onRequest: async (request, reply) =>
      sendError(reply, rejectPath(readPath(request).slice(base.length))),
    handler: () => undefined,
  })
}

function mountEndpoint(app: HttpApp, consent: Consent, id: CdsEndpointId): void {
  const { cds, basePath } = consent
  const { method, path } = cdsEndpoints[id]
  app.route({
    method,
    url: toFastifyPath({ path: basePath + cdsBasePath + path }),
    config: { endpoint: labels[id], formatError: toCdsErrorList },
    bodyLimit: bodyBytesMax,
    onRequest: (request, reply) =>
      respond(reply, async () => {
        const access = {
          method,
          url: readPublicUrl(request, consent),
          authorization: request.headers.authorization,
          proof: readHeader(request, 'dpop'),
          certificate: (request.raw.socket as Partial<TLSSocket>).getPeerX509Certificate?.(),
        }
        request.arrangement = await cds.authorise(id, access, ({ reason }) => {
          request.logDetail = { level: 'info', message: 'token rejected', fields: { reason } }
        })
        noteValidToken(request, reply)
      }),
    handler: (request, reply) =>
      respond(reply, async () => {
        const { accountId = '' } = request.params as { readonly accountId?: string }
        const input = {
          scheme: request.headers['dpop'] === undefined ? 'Bearer' : 'DPoP',
          url: readPublicUrl(request, consent),
          accountId,
          query: request.query as RawQuery,
          version: readHeader(request, 'x-v'),
          minimumVersion: readHeader(request, 'x-min-v'),
          body: request.body,
          interactionId: String(reply.getHeader(interactionHeader)),
        } as const
        const arrangement = request.arrangement as StoredArrangement
        const { body, version } = await cds.answer(id, arrangement, input, (error) => {
          request.logDetail = { level: 'warn', message: 'request failed', fields: { err: error } }
        })
        reply.header('x-v', String(version))
        return sendJson(reply, JSON.stringify(body))
      }),
  })
}

async function respond(reply: FastifyReply, work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CdsError)) throw error
    return sendError(reply, error)
  }
}

function sendError(reply: FastifyReply, { status, headers, body }: CdsError): FastifyReply {
  return sendJson(reply.status(status).headers(headers), JSON.stringify(body))
}

/** From the configured issuer: the Host header is the client’s choice. */
function readPublicUrl(request: FastifyRequest, { origin }: Consent): string {
  return origin + readPath(request)
}

function readPath({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? ''
}

/** A repeated header is the list of its values, which no header here may be. */
function readHeader({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return value === undefined ? undefined : [value].flat().join(', ')
}
