import type { TLSSocket } from 'node:tls'
import type { FastifyRequest } from 'fastify'
import { toCdsErrorList } from '../platform/cds/errors.ts'
import { cdsBasePath } from '../platform/cds/paths.ts'
import type { RawQuery } from '../platform/cds/query.ts'
import { type CdsEndpointId, cdsEndpoints } from '../platform/consent/cds/endpoints.ts'
import type { Consent } from '../platform/consent/consent.ts'
import type { StoredArrangement } from '../platform/consent/store.ts'
import { type HttpApp, noteValidToken, toFastifyPath } from './app.ts'
import { mountOtherPaths, readHeader, respond } from './cds-response.ts'
import type { Endpoint } from './endpoints.ts'
import { interactionHeader } from './interaction-id.ts'
import { sendJson } from './json.ts'
import { publicPaths } from './public-cds-endpoint.ts'
import { readPath } from './request.ts'

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

/** The endpoints of the Consumer Data Standards over HTTP. Every path below their base path gets an answer of theirs. */
export function mountCds(app: HttpApp, consent: Consent): void {
  for (const id of Object.keys(cdsEndpoints) as CdsEndpointId[]) mountEndpoint(app, consent, id)
  mountOtherPaths(app, consent.basePath, [
    ...Object.values(cdsEndpoints).map(({ path, method }) => ({ path, methods: [method] })),
    ...publicPaths,
  ])
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
        noteValidToken(reply)
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

/** From the configured issuer: the Host header is the client’s choice. */
function readPublicUrl(request: FastifyRequest, { origin }: Consent): string {
  return origin + readPath(request)
}
