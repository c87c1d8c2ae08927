import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import { digest } from '../auth/secrets.ts'
import type { ChangeReason } from '../contract/consent-statuses.ts'
import { isAmendmentPending } from './amendments.ts'
import type { ConsentStore, ThirdParty } from './store.ts'

/** Models whose artifacts depend on an arrangement. The id of a grant is that of its arrangement. */
const grantModel = 'Grant'
const codeModel = 'AuthorizationCode'

/** A session is found by another key than its id, so its id is stored. It cannot be used: session cookies are ignored. */
const modelsWithId = new Set(['Session'])

export interface AdapterOptions {
  readonly toClientMetadata: (thirdParty: ThirdParty) => AdapterPayload
  /** Called before a code is consumed, which can be done only once. If it throws, the code stays unused. */
  readonly prepareCode: (code: AdapterPayload) => Promise<void>
}

/**
 * The OpenID provider accepts proofs of 5 minutes ago to 5 minutes ahead, and stores their use for 5 minutes. One of a time
 * ahead is accepted for longer, also by a process whose clock is behind.
 */
const proofMarginSeconds = 600

/**
 * Stores what the OpenID provider needs, as its documentation of adapters requires. In addition, a code is consumed
 * once and a proof is accepted once even if several processes receive it at the same time.
 */
export function createOidcAdapter(
  { artifacts, arrangements, thirdParties }: ConsentStore,
  clock: () => Temporal.Instant,
  { toClientMetadata, prepareCode }: AdapterOptions,
): (model: string) => Adapter {
  const toPayload = (text: string, id: string, consumed: Temporal.Instant | undefined) => ({
    ...JSON.parse(text),
    ...(id && { jti: id }),
    ...(consumed && { consumed: Math.floor(consumed.epochMilliseconds / 1000) }),
  })

  /** A code whose exchange failed before its amendment may be used again. The amendment succeeds once. */
  const isPending = (payload: string) =>
    isAmendmentPending(arrangements, JSON.parse(payload) as AdapterPayload, clock())

  return (model) => ({
    async upsert(id, payload, expiresIn = 0) {
      const now = clock()
      const { jti, consumed: _consumed, ...rest } = payload
      const seconds = model === 'ReplayDetection' ? expiresIn + proofMarginSeconds : expiresIn
      const artifact = {
        payload: JSON.stringify(modelsWithId.has(model) ? { jti, ...rest } : rest),
        grantId: model === grantModel ? id : payload.grantId,
        uid: model === grantModel ? id : payload.uid,
        expires: now.add({ seconds }),
      }
      if (model !== 'ReplayDetection') return artifacts.put(model, digest(id), artifact, now)
      if (!(await artifacts.add(model, digest(id), artifact, now))) {
        throw new errors.InvalidRequest('the proof or assertion was used before')
      }
    },

    async find(id) {
      if (model === 'Client') {
        const thirdParty = await thirdParties.find(id)
        return thirdParty && toClientMetadata(thirdParty)
      }
      // The key of a grant is that of the arrangement that it was made for, which may have amended this one.
      const found = await (model === grantModel
        ? artifacts.findByUid(model, id, clock())
        : artifacts.find(model, digest(id), clock()))
      const isUnused = found?.consumed && model === codeModel && (await isPending(found.payload))
      return found && toPayload(found.payload, id, isUnused ? undefined : found.consumed)
    },

    async findByUid(uid) {
      const found = await artifacts.findByUid(model, uid, clock())
      return found && toPayload(found.payload, '', found.consumed)
    },

    // Only for the device flow, which is disabled.
    async findByUserCode() {
      return undefined
    },

    async consume(id) {
      if (model === codeModel) {
        const code = await artifacts.find(model, digest(id), clock())
        if (code && !code.consumed) await prepareCode(JSON.parse(code.payload))
      }
      if (await artifacts.consume(model, digest(id), clock())) return
      if (model === 'PushedAuthorizationRequest') throw usedRequest()
      const used = await artifacts.find(model, digest(id), clock())
      if (used && model === codeModel && (await isPending(used.payload))) return
      const { grantId = '' } = JSON.parse(used?.payload ?? '{}') as AdapterPayload
      await arrangements.withdraw(grantId, 'code_replayed', clock())
      throw new errors.InvalidGrant(`${model} already consumed`)
    },

    async destroy(id) {
      if (model === grantModel) await arrangements.withdraw(id, revocationReason(), clock())
      await artifacts.remove(model, digest(id))
    },

    // Called for each model. An access token that is revoked ends alone.
    async revokeByGrantId(grantId) {
      const { route, entities } = Provider.ctx?.oidc ?? {}
      if (route === 'revocation' && entities?.AccessToken) return
      await artifacts.removeByGrant(grantId, grantModel)
    },
  })
}

/** The OpenID provider destroys a grant if its refresh token is revoked, or if a code is used again. */
function revocationReason(): ChangeReason {
  return Provider.ctx?.oidc.route === 'token' ? 'code_replayed' : 'third_party'
}

/** Not redirected to the third party, since the customer may not have come from it. */
function usedRequest(): Error {
  const error = new errors.InvalidRequestUri('request_uri is invalid, expired, or was already used')
  return Object.assign(error, { allow_redirect: false })
}
