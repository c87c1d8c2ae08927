import type { TLSSocket } from 'node:tls'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CdsEndpointId, cdsEndpoints } from '../contract/cds/shared/endpoints.ts'
import { interactionHeader } from '../contract/response-headers.ts'
import { toCdsErrorList } from '../platform/cds/errors.ts'
import { cdsBasePath, listShadowedPaths } from '../platform/cds/paths.ts'
import type { RawQuery } from '../platform/cds/query.ts'
import {
  customerAddressHeader,
  requireAcceptable,
  requireValidHeaders,
} from '../platform/cds/request-headers.ts'
import type { Disclosure } from '../platform/consent/cds/api.ts'
import type { Consent } from '../platform/consent/consent.ts'
import type { StoredArrangement } from '../platform/consent/store.ts'
import { countedEndpoint } from '../platform/usage/counted-endpoint.ts'
import { type HttpApp, noteValidToken, toFastifyPath } from './app.ts'
import { mountOmittedPath, readHeader, readVersionHeaders } from './cds-response.ts'
import { sendJson } from './json.ts'
import { readPath } from './request.ts'
import { requestMessage } from './request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The arrangement of a third party’s token. */
    arrangement?: StoredArrangement
    /** What the body of the answer discloses. */
    disclosure?: Disclosure
    isRecorded?: boolean
  }
}

/** The longest list of account ids is shorter. */
const bodyBytesMax = 256 * 1024

/** The endpoints of the Consumer Data Standards over HTTP. */
export function mountCds(app: HttpApp, consent: Consent): void {
  for (const id of Object.keys(cdsEndpoints) as CdsEndpointId[]) mountEndpoint(app, consent, id)
  const served = Object.values(cdsEndpoints).map(({ path }) => path)
  for (const path of listShadowedPaths(served)) {
    mountOmittedPath(app, consent.basePath + cdsBasePath, path)
  }
}

function mountEndpoint(app: HttpApp, consent: Consent, id: CdsEndpointId): void {
  const { cds, basePath } = consent
  const { method, path, logName } = cdsEndpoints[id]
  app.route({
    method,
    url: toFastifyPath({ path: basePath + cdsBasePath + path }),
    config: {
      endpoint: `cds-${logName}`,
      counted: countedEndpoint(id),
      formatError: toCdsErrorList,
    },
    bodyLimit: bodyBytesMax,
    async onRequest(request, reply) {
      const access = await cds.authorise(id, {
        method,
        url: readPublicUrl(request, consent),
        authorization: request.headers.authorization,
        proof: readHeader(request, 'dpop'),
        certificate: (request.raw.socket as Partial<TLSSocket>).getPeerX509Certificate?.(),
      })
      request.arrangement = access.arrangement
      request.thirdPartyId = access.arrangement.thirdPartyId
      noteValidToken(reply)
      if (access.missingScope) throw access.missingScope
      requireAcceptable(request.headers.accept)
      requireValidHeaders((name) => readHeader(request, name))
      await cds.count(access, isCustomerPresent(request))
    },
    async handler(request, reply) {
      const { accountId = '' } = request.params as { readonly accountId?: string }
      const faults = new Map<string, number>()
      const answer = cds.answer(id, {
        ...readVersionHeaders(request),
        arrangement: request.arrangement as StoredArrangement,
        scheme: request.headers['dpop'] === undefined ? 'Bearer' : 'DPoP',
        url: readPublicUrl(request, consent),
        accountId,
        query: request.query as RawQuery,
        body: request.body,
        interactionId: String(reply.getHeader(interactionHeader)),
        faults,
      })
      const { body, version, disclosure } = await answer.finally(() => noteFaults(request, faults))
      request.disclosure = disclosure
      reply.header('x-v', String(version))
      return sendJson(reply, JSON.stringify(body))
    },
    onSend: (request, reply) => recordAnswer(request, reply, consent),
  })
}

/**
 * Records the answer to a third party that has proved its token. Without its record, no answer is sent: if it cannot be
 * stored, the error is the answer, without a record.
 */
async function recordAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { recordDisclosure }: Consent,
): Promise<void> {
  const { arrangement, isRecorded, cdsError, failure } = request
  if (!arrangement || isRecorded) return
  request.isRecorded = true
  const isError = reply.statusCode >= 400
  const { id, thirdPartyId, customerId } = arrangement
  await recordDisclosure({
    operation: request.routeOptions.config.endpoint ?? '',
    interactionId: String(reply.getHeader(interactionHeader)),
    thirdPartyId,
    consentId: id,
    customerId,
    isCustomerPresent: isCustomerPresent(request),
    status: reply.statusCode,
    ...((!isError && request.disclosure) || { scopes: [], accountIds: [], count: 0 }),
    ...(isError && { error: cdsError?.error ?? failure?.code ?? 'internal' }),
    ...(cdsError?.isRefusal && { isRefusal: true }),
    ...(failure?.limit && { limit: failure.limit }),
  })
}

function isCustomerPresent({ headers }: FastifyRequest): boolean {
  return headers[customerAddressHeader] !== undefined
}

/** The log says which fields the provider should correct, and neither values nor ids. */
function noteFaults(request: FastifyRequest, faults: ReadonlyMap<string, number>): void {
  if (faults.size === 0) return
  const fields = { invalidData: Object.fromEntries(faults) }
  request.logDetail = { level: 'warn', message: requestMessage, fields }
}

/** From the configured issuer: the Host header is the client’s choice. */
function readPublicUrl(request: FastifyRequest, { origin }: Consent): string {
  return origin + readPath(request)
}
