import type { Consent } from '../platform/consent/consent.ts'
import { sessionSeconds } from '../platform/consent/dashboard.ts'
import type { HttpApp } from './app.ts'
import type { TrustedProxies } from './caller-address.ts'
import { formBytesMax, preparePages, readPageRequest, sendPageResponse } from './page-response.ts'

const cookie = 'holdfast_dashboard'

/** The list, one consent, and the confirmation that it shall end. */
const paths = ['/consents', '/consents/:id', '/consents/:id/stop'] as const

/** The pages on which a customer sees and withdraws consents. */
export function mountDashboard(
  scope: HttpApp,
  consent: Consent,
  trustedProxies: TrustedProxies | undefined,
): void {
  const { basePath, answerDashboard } = consent
  const page = { cookie, path: `${basePath}/consents`, seconds: sessionSeconds, trustedProxies }
  preparePages(scope, consent, 'Nothing was changed.')
  for (const path of paths) {
    scope.route({
      method: ['GET', 'POST'],
      url: basePath + path,
      config: { endpoint: 'dashboard' },
      bodyLimit: formBytesMax,
      handler: async (request, reply) => {
        const { id } = request.params as { readonly id?: string }
        const answer = await answerDashboard({
          ...readPageRequest(request, reply, consent, page),
          id,
          isStop: path.endsWith('/stop'),
        })
        return sendPageResponse(reply, answer, consent, page)
      },
    })
  }
}
