import type { Consent } from '../consent/consent.ts'
import { sessionSeconds } from '../consent/consents-page.ts'
import type { HttpApp } from './app.ts'
import { resolveCallerAddress, type TrustedProxies } from './caller-address.ts'
import { interactionHeader } from './interaction-id.ts'
import { isCrossSite, preparePages, readCookie, sendPage, toForm } from './page-response.ts'

const cookie = 'holdfast_consents'
const formBytesMax = 4096

/** The list, one consent, and the confirmation that it shall end. */
export const consentsPaths = ['/consents', '/consents/{id}', '/consents/{id}/stop'] as const

/** The pages on which a customer sees and withdraws consents. */
export function mountConsentsPage(
  scope: HttpApp,
  { basePath, issuer, brand, answerConsents }: Consent,
  trustedProxies: TrustedProxies | undefined,
): void {
  const url = `${basePath}/consents`
  const attributes = `Path=${url}; HttpOnly; SameSite=Lax${issuer.startsWith('https:') ? '; Secure' : ''}`
  preparePages(scope, brand, 'Nothing was changed.')
  for (const path of consentsPaths) {
    scope.route({
      method: ['GET', 'POST'],
      url: basePath + path.replace('{id}', ':id'),
      config: { endpoint: 'consents-page' },
      bodyLimit: formBytesMax,
      handler: async (request, reply) => {
        const { id } = request.params as { readonly id?: string }
        const answer = await answerConsents({
          id,
          isStop: path.endsWith('/stop'),
          secret: readCookie(request.headers.cookie, cookie),
          form: request.method === 'POST' ? toForm(request.body) : undefined,
          source: resolveCallerAddress(request.raw, trustedProxies),
          isCrossSite: isCrossSite(request, new URL(issuer).origin),
          interactionId: String(reply.getHeader(interactionHeader)),
        })
        if (answer.secret !== undefined) {
          const age = answer.secret === '' ? 0 : sessionSeconds
          reply.header('set-cookie', `${cookie}=${answer.secret}; Max-Age=${age}; ${attributes}`)
        }
        reply.status(answer.status)
        if (answer.location === undefined) return sendPage(reply, answer.html ?? '')
        return reply.header('location', url + answer.location).send()
      },
    })
  }
}
