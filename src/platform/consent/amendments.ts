import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { digest } from '../../auth/secrets.ts'
import { ContractError } from '../../contract/index.ts'
import { readRequestClaim } from './request-claims.ts'
import type { ConsentStore } from './store.ts'

const claim = 'cdr_arrangement_id'

interface Options {
  readonly store: ConsentStore
  readonly clock: () => Temporal.Instant
}

/** The arrangement that an authorization request amends, by the claim of the Consumer Data Standards. */
export function readAmendedId(params: Readonly<Record<string, unknown>>): string | undefined {
  const id = readRequestClaim(params, claim)
  return id == null ? undefined : String(id)
}

/** Rejects a pushed request that would amend an arrangement that the third party does not have. */
export async function requireOwnArrangement(
  { store: { arrangements }, clock }: Options,
  { oidc: { route, params, client } }: KoaContextWithOIDC,
): Promise<void> {
  const id = readAmendedId({ ...params })
  if (id === undefined || route !== 'pushed_authorization_request') return
  const found = await arrangements.find(id, clock())
  if (found?.status === 'active' && found.thirdPartyId === client?.clientId) return
  throw new errors.InvalidRequest(`${claim} is not an active arrangement of this client`)
}

/** Stores with the code which arrangement its exchange amends. Called before the code is made. */
export function rememberAmendment({ oidc: { claims, params } }: KoaContextWithOIDC): void {
  const id = readAmendedId({ ...params })
  if (id !== undefined) Object.assign(claims, { [claim]: id })
}

/**
 * Amends the arrangement that the authorization request named, once tokens for the new consent were issued. Returns its
 * ID, which stays the same. If this throws, the tokens must not be returned.
 */
export async function applyAmendment(
  { store: { arrangements, artifacts }, clock }: Options,
  { oidc, status }: KoaContextWithOIDC,
): Promise<string | undefined> {
  if (status !== 200 || oidc?.route !== 'token') return undefined
  const { claims, grantId = '', jti = '' } = oidc.entities.AuthorizationCode ?? {}
  const id = (claims as { readonly [claim]?: string } | undefined)?.[claim]
  if (id === undefined) return undefined
  // An earlier exchange of the code amended it, and failed later.
  if (id === grantId) return id
  if (await arrangements.amend(id, grantId, clock())) return id
  // The named arrangement has ended.
  if ((await arrangements.find(grantId, clock()))?.status === 'active') return undefined
  const code = await artifacts.find('AuthorizationCode', digest(jti), clock())
  if (code?.consumed) await arrangements.withdraw(id, 'code_replayed', clock())
  // Another exchange of the code amended it, and may still fail.
  else if (code) throw new ContractError('unavailable', 'the code is being exchanged')
  throw new errors.InvalidGrant('authorization code already consumed')
}
