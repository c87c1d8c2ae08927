import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  accessOperations,
  ContractError,
  type Input,
  parseReturnPath,
  sessionSeconds,
  signInCallbackPath,
  signInFailureParameter,
} from '../contract/index.ts'
import { type SignIn, signInSeconds } from '../platform/sign-in/sign-in.ts'
import { SignInError } from '../platform/sign-in/sign-in-error.ts'
import { classifyAddress } from './address-kind.ts'
import type { HttpApp } from './app.ts'
import { resolveCallerAddress, type TrustedProxies } from './caller-address.ts'
import { mountOperation } from './mount-operation.ts'
import { requestMessage } from './request-log.ts'
import { formatSessionCookie, readSessionCookie, requireSameOrigin } from './session-cookies.ts'
import type { SessionOptions } from './session-options.ts'

const bodyBytesMax = 16 * 1024

const home = '/console'

/** Sign-ins at the identity provider: their begin, and where the browser comes back to. */
export function mountSignIn(
  app: HttpApp,
  { access, signIn, trustedProxies }: SessionOptions,
): void {
  const { startSignIn } = accessOperations
  const route = { bodyLimit: bodyBytesMax, preValidation: requireSameOrigin }
  const start = async ({ body }: Input<typeof startSignIn>, request: FastifyRequest) => {
    if (!signIn) throw new ContractError('not_configured', 'HOLDFAST_CONSOLE_ISSUER is not set')
    const { origin = signIn.origin } = request.headers
    // The browser comes back to this address, where it must have the cookie.
    if (origin !== signIn.origin)
      throw new ContractError('invalid_request', `sign in at ${signIn.origin}${home}`)
    const returnTo = parseReturnPath(body.return_to ?? home)
    if (returnTo === undefined)
      throw new ContractError('invalid_request', 'return_to must be a path of the console')
    const replaced = readSessionCookie(request, 'holdfast_session')
    const { url, cookie } = await signIn.start(returnTo, replaced).catch((error: unknown) => {
      if (!(error instanceof SignInError)) throw error
      throw new ContractError('identity_provider_failed', undefined, { reason: error.message })
    })
    // The browser comes back from another site.
    const life = { ...toLife(signIn), seconds: signInSeconds, sameSite: 'Lax' } as const
    return {
      headers: { 'set-cookie': formatSessionCookie(request, 'holdfast_sign_in', cookie, life) },
      body: JSON.stringify({ authorization_url: url }),
    }
  }
  mountOperation(app, startSignIn, access, start, route)
  if (signIn) mountCallback(app, signIn, trustedProxies)
}

/** The browser is at the public address of the platform. */
function toLife({ origin }: SignIn) {
  return { isSecure: origin.startsWith('https:') }
}

function mountCallback(app: HttpApp, signIn: SignIn, trustedProxies?: TrustedProxies): void {
  const complete = async (request: FastifyRequest) => {
    const address = resolveCallerAddress(request.raw, trustedProxies)
    return signIn.complete({
      answer: new URLSearchParams(request.url.split('?').slice(1).join('?')),
      cookie: readSessionCookie(request, 'holdfast_sign_in'),
      address,
      addressKind: classifyAddress(address),
    })
  }
  app.route({
    method: 'GET',
    url: signInCallbackPath,
    config: { endpoint: 'sign-in' },
    handler: async (request, reply): Promise<FastifyReply> => {
      const life = toLife(signIn)
      const ended = formatSessionCookie(request, 'holdfast_sign_in', '', {
        ...life,
        seconds: 0,
        sameSite: 'Lax',
      })
      // The address has the code of the sign-in.
      reply.header('referrer-policy', 'no-referrer')
      try {
        const { token, returnTo } = await complete(request)
        const begun = formatSessionCookie(request, 'holdfast_session', token, {
          ...life,
          seconds: sessionSeconds,
        })
        reply.header('set-cookie', [ended, begun]).header('location', returnTo)
      } catch (error) {
        if (!(error instanceof SignInError)) throw error
        const reason = `sign-in failed: ${error.message}`
        request.logDetail = { level: 'warn', message: requestMessage, fields: { reason } }
        const location = `${home}?${signInFailureParameter}=${error.failure}`
        reply.header('set-cookie', ended).header('location', location)
      }
      return reply.status(303).send()
    },
  })
}
