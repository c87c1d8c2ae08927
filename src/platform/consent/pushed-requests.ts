import { decodeJwt, decodeProtectedHeader, UnsecuredJWT } from 'jose'
import type { AdapterPayload, KoaContextWithOIDC } from 'oidc-provider'

/** How long a `request_uri` is valid: the longest time that the Consumer Data Standards allow. */
const pushedRequestSeconds = 90

/** The OpenID provider has no setting for the lifetime, and stores a pushed request for 60 seconds. */
export function extendPushedRequest(payload: AdapterPayload): {
  readonly payload: AdapterPayload
  readonly seconds: number
} {
  const { request = '' } = payload
  const seconds = readLifetime(request)
  const exp = Math.floor(Date.now() / 1000) + seconds
  // An unsigned request object was made by the OpenID provider, and ends after 60 seconds too.
  if (isSigned(request)) return { payload: { ...payload, exp }, seconds }
  const extended = new UnsecuredJWT({ ...decodeJwt(request), exp }).encode()
  return { payload: { ...payload, exp, request: extended }, seconds }
}

/** A signed request object may end earlier. */
function readLifetime(request: string): number {
  if (!isSigned(request)) return pushedRequestSeconds
  const left = (decodeJwt(request).exp ?? 0) - Math.floor(Date.now() / 1000)
  return Number.isInteger(left) ? Math.min(left, pushedRequestSeconds) : pushedRequestSeconds
}

function isSigned(request: string): boolean {
  return decodeProtectedHeader(request).alg !== 'none'
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
  const { request = '' } = oidc.entities.PushedAuthorizationRequest ?? {}
  Object.assign(body as object, { expires_in: readLifetime(request) })
}
