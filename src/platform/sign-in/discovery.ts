import * as oauth from 'oauth4webapi'
import { backOff } from '../../contract/back-off.ts'
import { describeError, SignInError } from './sign-in-error.ts'

/** How long the metadata is used for a new sign-in. It shows whether the identity provider responds. */
const freshSeconds = 60

/** How long the metadata is not requested again, after the first failure and at most. */
const retrySecondsMin = 1
const retrySecondsMax = 60

export type Discovery = ReturnType<typeof openDiscovery>

/** The metadata of the identity provider. It is read when it is needed. `now` is in seconds of a monotonic clock. */
export function openDiscovery(
  issuer: URL,
  createOptions: () => oauth.DiscoveryRequestOptions,
  now: () => number = () => performance.now() / 1000,
) {
  let known: { readonly server: oauth.AuthorizationServer; readonly at: number } | undefined
  let failures = { count: 0, retryAt: Number.NEGATIVE_INFINITY }
  let pending: Promise<oauth.AuthorizationServer> | undefined

  const request = async (): Promise<oauth.AuthorizationServer> => {
    try {
      const response = await oauth.discoveryRequest(issuer, createOptions())
      const server = await oauth.processDiscoveryResponse(issuer, response)
      known = { server, at: now() }
      failures = { count: 0, retryAt: Number.NEGATIVE_INFINITY }
      return server
    } catch (error) {
      const count = failures.count + 1
      failures = { count, retryAt: now() + backOff(count, retrySecondsMin, retrySecondsMax) }
      throw new SignInError('unreachable', `no metadata: ${describeError(error)}`)
    } finally {
      pending = undefined
    }
  }
  const isFresh = () => known !== undefined && now() - known.at < freshSeconds

  /** Throws a `SignInError` if the identity provider does not respond. */
  const readFresh = async (): Promise<oauth.AuthorizationServer> => {
    if (known && isFresh()) return known.server
    if (!pending && failures.retryAt > now())
      throw new SignInError('unreachable', 'no metadata: the request failed before')
    pending ??= request()
    return pending
  }
  return {
    readFresh,

    /** That of a sign-in that has begun may be older. */
    read: async (): Promise<oauth.AuthorizationServer> => known?.server ?? readFresh(),

    /** Of the last request. Begins another one if that is long ago. */
    isReachable(): boolean {
      if (!isFresh()) readFresh().catch(() => {})
      return failures.count === 0
    },
  }
}
