import type { Consent } from '../platform/consent/consent.ts'
import { sessionSeconds } from '../platform/consent/dashboard.ts'
import { type HttpApp, toFastifyPath } from './app.ts'
import { groupAddress, resolveCallerAddress, type TrustedProxies } from './caller-address.ts'
import { formatCookie, readCookie } from './cookies.ts'
import { interactionHeader } from './interaction-id.ts'
import { formBytesMax, isCrossSite, preparePages, sendPage, toForm } from './page-response.ts'

const cookie = 'holdfast_dashboard'

/** The list, one consent, and the confirmation that it shall end. */
export const dashboardPaths = ['/consents', '/consents/{id}', '/consents/{id}/stop'] as const

/** The pages on which a customer sees and withdraws consents. */
export function mountDashboard(
  scope: HttpApp,
  { basePath, origin, brand, answerDashboard }: Consent,
  trustedProxies: TrustedProxies | undefined,
): void {
  const url = `${basePath}/consents`
  const isSecure = origin.startsWith('https:')
  const cookieOptions = { path: url, isSecure, sameSite: 'Lax' } as const
  preparePages(scope, brand, 'Nothing was changed.')
  for (const path of dashboardPaths) {
    scope.route({
      method: ['GET', 'POST'],
      url: toFastifyPath({ path: basePath + path }),
      config: { endpoint: 'dashboard' },
      bodyLimit: formBytesMax,
      handler: async (request, reply) => {
        const { id } = request.params as { readonly id?: string }
        const answer = await answerDashboard({
          id,
          isStop: path.endsWith('/stop'),
          secret: readCookie(request.headers.cookie, cookie),
          form: request.method === 'POST' ? toForm(request.body) : undefined,
          source: groupAddress(resolveCallerAddress(request.raw, trustedProxies)),
          isCrossSite: isCrossSite(request, origin),
          interactionId: String(reply.getHeader(interactionHeader)),
        })
        if (answer.secret !== undefined) {
          const seconds = answer.secret === '' ? 0 : sessionSeconds
          reply.header(
            'set-cookie',
            formatCookie(cookie, answer.secret, { ...cookieOptions, seconds }),
          )
        }
        reply.status(answer.status)
        if (answer.location === undefined) return sendPage(reply, answer.html ?? '')
        return reply.header('location', url + answer.location).send()
      },
    })
  }
}
