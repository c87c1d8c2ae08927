import { decodeJwt, decodeProtectedHeader, UnsecuredJWT } from 'jose'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'

/** How long a `request_uri` is valid: the longest time that the Consumer Data Standards allow. */
export const pushedRequestSeconds = 90

type PushedRequest = InstanceType<Provider['PushedAuthorizationRequest']> & {
  /** The lifetime that it was stored with, in seconds. */
  expiresIn?: number
}

/** The OpenID provider has no setting for the lifetime, and stores a pushed request for 60 seconds. */
export function extendPushedRequests({
  PushedAuthorizationRequest: { prototype },
}: Provider): void {
  const { save } = prototype
  prototype.save = function (this: PushedRequest) {
    const now = Math.floor(Date.now() / 1000)
    const { exp, ...claims } = decodeJwt(this.request)
    const isSigned = decodeProtectedHeader(this.request).alg !== 'none'
    // A signed request object may end earlier. An unsigned one was made by the OpenID provider, and ends after 60 s.
    const left = isSigned ? (exp ?? 0) - now : pushedRequestSeconds
    this.expiresIn = Number.isInteger(left)
      ? Math.min(left, pushedRequestSeconds)
      : pushedRequestSeconds
    if (!isSigned) {
      this.request = new UnsecuredJWT({ ...claims, exp: now + pushedRequestSeconds }).encode()
    }
    return save.call(this, this.expiresIn)
  }
}

/**
 * A pushed request that is answered at once, with an error for the third party, is used as well. One that starts a flow
 * was consumed before the flow had an address.
 */
export async function consumeAnswered({ oidc, response }: KoaContextWithOIDC): Promise<void> {
  if (oidc?.route !== 'authorization' || oidc.entities.Interaction) return
  if (response.get('location')) await oidc.entities.PushedAuthorizationRequest?.consume()
}

/** Corrects the lifetime in the response to a pushed request. */
export function correctLifetime({ oidc, body, status }: KoaContextWithOIDC): void {
  if (status !== 201 || oidc?.route !== 'pushed_authorization_request') return
  const { expiresIn } = oidc.entities.PushedAuthorizationRequest as PushedRequest
  Object.assign(body as object, { expires_in: expiresIn })
}
