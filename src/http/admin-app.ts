import type { TLSSocket } from 'node:tls'
import type { FastifyRequest } from 'fastify'
import { ContractError } from '../contract/index.ts'
import { type Admin, type AdminEndpointId, adminEndpoints } from '../platform/admin/admin.ts'
import { toCdsErrorList } from '../platform/cds/errors.ts'
import type { RawQuery } from '../platform/cds/query.ts'
import { requireAcceptable } from '../platform/cds/request-headers.ts'
import { adminOperations } from '../platform/usage/operations.ts'
import { type HttpApp, noteValidToken, toFastifyPath } from './app.ts'
import { readVersionHeaders } from './cds-response.ts'
import { hasClientCertificate } from './client-certificate.ts'
import { sendJson } from './json.ts'

const bodyBytesMax = 16 * 1024

export interface AdminMount {
  readonly admin: Admin
  /** Authenticates the register, by the `Authorization` headers. */
  readonly authenticate: (authorization: readonly string[]) => Promise<void>
  readonly requiresCertificate: boolean
}

/** The endpoints that the register calls. */
export function mountAdmin(
  app: HttpApp,
  { basePath, origin }: { readonly basePath: string; readonly origin: string },
  { admin, authenticate, requiresCertificate }: AdminMount,
): void {
  for (const id of Object.keys(adminEndpoints) as AdminEndpointId[]) {
    const { method, path } = adminEndpoints[id]
    app.route({
      method,
      url: toFastifyPath({ path: basePath + path }),
      config: {
        endpoint: id === 'metrics' ? 'cds-metrics' : 'cds-metadata-update',
        counted: adminOperations[id],
        formatError: toCdsErrorList,
      },
      bodyLimit: bodyBytesMax,
      async onRequest(request, reply) {
        if (requiresCertificate && !hasClientCertificate(request.raw.socket as TLSSocket)) {
          throw new ContractError('unauthorized', 'no valid client certificate')
        }
        await authenticate(listAuthorization(request))
        noteValidToken(reply)
        requireAcceptable(request.headers.accept)
      },
      async handler(request, reply) {
        const { version, body } = await admin[id]({
          ...readVersionHeaders(request),
          url: origin + request.url,
          query: request.query as RawQuery,
          body: request.body,
        })
        reply.header('x-v', String(version))
        return sendJson(reply, JSON.stringify(body))
      },
    })
  }
}

/** Node joins repeated headers, or drops them. */
function listAuthorization({ raw }: FastifyRequest): readonly string[] {
  return raw.headersDistinct['authorization'] ?? []
}
