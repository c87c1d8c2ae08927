import { errors } from 'oidc-provider'
import { parseJson } from '../../contract/parse-json.ts'
import { isObject } from '../../contract/schema.ts'
import { sharingSecondsMax } from './sharing-duration.ts'

/** The level of assurance of a one-time passcode in the Consumer Data Standards. */
export const acr = 'urn:cds.au:cdr:2'

/** A member of the parameter `claims` of an authorization request. */
export function readRequestClaim(
  { claims }: Readonly<Record<string, unknown>>,
  name: string,
): unknown {
  const parsed = typeof claims === 'string' ? parseJson(claims) : undefined
  return isObject(parsed) && Object.hasOwn(parsed, name) ? parsed[name] : undefined
}

/** Rejects an invalid parameter `claims`. Its members `userinfo` and `id_token` are optional (OpenID Connect Core, section 5.5). */
export function requireValidClaims(text: string | undefined): void {
  if (text === undefined) return
  const claims = parseJson(text)
  if (!isObject(claims)) throw new errors.InvalidRequest('claims must be a JSON object')
  for (const name of ['userinfo', 'id_token']) {
    if (isObject(claims[name] ?? {})) continue
    throw new errors.InvalidRequest(`${name} in claims must be an object`)
  }
  const { acr: requested } = (claims['id_token'] ?? {}) as { readonly acr?: unknown }
  requireKnownAcr(requested)
}

/** An essential level of assurance must be one that a passcode provides. */
function requireKnownAcr(requested: unknown): void {
  const {
    essential = false,
    value,
    values = [value],
  } = (requested ?? {}) as {
    readonly essential?: boolean
    readonly value?: unknown
    readonly values?: readonly unknown[]
  }
  if (!Array.isArray(values)) throw new errors.InvalidRequest('the values of acr must be an array')
  if (!essential || values.includes(acr) || values.every((each) => each === undefined)) return
  throw new errors.UnmetAuthenticationRequirements(`acr must be ${acr}`)
}

/**
 * The duration in an authorization request: the claim `sharing_duration` of the Consumer Data Standards, or the
 * parameter of the same name. Undefined if it is invalid. 0 means once; more than a year means a year.
 */
export function readSharingDuration(params: Readonly<Record<string, unknown>>): number | undefined {
  const value = readRequestClaim(params, 'sharing_duration') ?? params['sharing_duration'] ?? 0
  if (!/^\d{1,15}$/.test(String(value))) return undefined
  return Math.min(Number(value), sharingSecondsMax)
}
