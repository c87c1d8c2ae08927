import { toCdsErrorList } from '../platform/cds/errors.ts'
import type { Consent } from '../platform/consent/consent.ts'
import { revocationPath } from '../platform/consent/revoke-arrangement.ts'
import type { HttpApp } from './app.ts'
import { acceptForms } from './form-body.ts'
import { sendJson } from './json.ts'
import { toForm } from './page-response.ts'

/** A client assertion is its longest part. */
const bodyBytesMax = 64 * 1024

/** The endpoint at which a third party withdraws an arrangement. */
export function mountRevocation(scope: HttpApp, { basePath, answerRevocation }: Consent): void {
  scope.removeAllContentTypeParsers()
  acceptForms(scope)
  scope.route({
    method: 'POST',
    url: basePath + revocationPath,
    config: { endpoint: 'arrangement-revocation', formatError: toCdsErrorList },
    bodyLimit: bodyBytesMax,
    handler: async (request, reply) => {
      const { status, body } = await answerRevocation(toForm(request.body))
      reply.status(status)
      return body ? sendJson(reply, JSON.stringify(body)) : reply.send()
    },
  })
}
