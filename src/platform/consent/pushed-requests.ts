import { decodeJwt, decodeProtectedHeader, UnsecuredJWT } from 'jose'
import { type AdapterPayload, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { digest } from '../../auth/secrets.ts'
import { flowSeconds } from '../../contract/consent-flows.ts'
import { readFapiProfile } from './client-metadata.ts'
import type { AttemptLimit, ConsentStore } from './store.ts'

/** How long a `request_uri` is valid: the longest time that the Consumer Data Standards allow. */
const pushedRequestSeconds = 90

/** How often a `request_uri` of the profile `plain` can be opened: link previews and reloads open it too. */
export const openingsMax = 20
const openings: AttemptLimit = { capacity: openingsMax, refillMs: pushedRequestSeconds * 1000 }

/** The flow in which the customer signed in, by the key of the request. */
const signInModel = 'RequestSignIn'

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

/**
 * Uses up a request of the profile `cds` when it starts a flow. One of the profile `plain` starts a flow for each browser
 * that opens it, until a customer signs in.
 */
export async function consumeOpened({ oidc }: KoaContextWithOIDC): Promise<void> {
  if (readFapiProfile(oidc.client) === '2.0') return
  await oidc.entities.PushedAuthorizationRequest?.consume()
}

/** Counts that a request of the profile `plain` is opened. Returns its key for `bindRequest`, which the flow stores. */
export async function countOpening(
  { limits }: Pick<ConsentStore, 'limits'>,
  { oidc }: KoaContextWithOIDC,
  now: Temporal.Instant,
): Promise<{ readonly requestKey?: string }> {
  const { jti } = oidc.entities.PushedAuthorizationRequest ?? {}
  if (jti === undefined || readFapiProfile(oidc.client) !== '2.0') return {}
  if (!(await limits.take(digest(`opening ${jti}`), openings, now))) throw requestUsed()
  return { requestKey: digest(jti) }
}

/** Gives a request to the flow in which a customer signs in. False if it belongs to another flow. May be repeated. */
export async function bindRequest(
  { artifacts }: Pick<ConsentStore, 'artifacts'>,
  requestKey: string,
  uid: string,
  now: Temporal.Instant,
): Promise<boolean> {
  const payload = JSON.stringify(digest(uid))
  // As long as any flow of the request may last.
  const expires = now.add({ seconds: pushedRequestSeconds + flowSeconds })
  if (await artifacts.add(signInModel, requestKey, { payload, expires }, now)) return true
  return (await artifacts.find(signInModel, requestKey, now))?.payload === payload
}

/** Whether a customer has signed in with the request. */
export async function isBound(
  { artifacts }: Pick<ConsentStore, 'artifacts'>,
  requestKey: string,
  now: Temporal.Instant,
): Promise<boolean> {
  return (await artifacts.find(signInModel, requestKey, now)) !== undefined
}

/** Not redirected to the third party, since the customer may not have come from it. */
export function requestUsed(): Error {
  const text = 'request_uri is invalid, expired, or was already used'
  return Object.assign(new errors.InvalidRequestUri(text), { allow_redirect: false })
}

/** Corrects the lifetime in the response to a pushed request. */
export function correctLifetime({ oidc, body, status }: KoaContextWithOIDC): void {
  if (status !== 201 || oidc?.route !== 'pushed_authorization_request') return
  const { request = '' } = oidc.entities.PushedAuthorizationRequest ?? {}
  Object.assign(body as object, { expires_in: readLifetime(request) })
}
