import {
  type Adapter,
  type AdapterPayload,
  errors,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import { digest } from '../../auth/secrets.ts'
import { changeLast, useUp } from './last-changes.ts'
import { extendPushedRequest, isBound, requestUsed } from './pushed-requests.ts'
import type { ConsentStore, ThirdParty } from './store.ts'

/** Models whose artifacts depend on an arrangement. The id of a grant is that of its arrangement. */
const grantModel = 'Grant'
const requestModel = 'PushedAuthorizationRequest'

interface AdapterOptions {
  readonly toClientMetadata: (thirdParty: ThirdParty) => AdapterPayload
  /** Whether what ends the tokens of an arrangement also ends the arrangement. */
  readonly revokesGrant: (ctx: KoaContextWithOIDC) => boolean
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
  store: ConsentStore,
  clock: () => Temporal.Instant,
  { toClientMetadata, revokesGrant }: AdapterOptions,
): (model: string) => Adapter {
  const { artifacts, arrangements, thirdParties } = store
  const toPayload = (text: string, id: string, consumed: Temporal.Instant | undefined) => ({
    ...JSON.parse(text),
    ...(id && { jti: id }),
    ...(consumed && { consumed: Math.floor(consumed.epochMilliseconds / 1000) }),
  })

  /** A client that disconnects meanwhile does not get the answer, and may repeat the request. */
  const consume = async (model: string, id: string, ctx = Provider.ctx): Promise<boolean> => {
    const now = clock()
    const isFirst = await useUp(artifacts.consume(model, digest(id), now), true)
    if (isFirst && ctx?.res.closed) await artifacts.release(model, digest(id), now)
    return isFirst
  }

  const consumeCode = async (model: string, id: string, ctx = Provider.ctx): Promise<void> => {
    if (await consume(model, id, ctx)) return
    if (!ctx?.res.closed) {
      const used = await artifacts.find(model, digest(id), clock())
      const { grantId = '' } = JSON.parse(used?.payload ?? '{}') as AdapterPayload
      await arrangements.withdraw(grantId, 'code_replayed', clock())
    }
    throw new errors.InvalidGrant(`${model} already consumed`)
  }

  /**
   * The key of a grant is that of the arrangement that it was made for, which may have amended another one since. A request
   * that read its code before that still finds it, and then that the code is used.
   */
  const findGrant = async (id: string) =>
    (await artifacts.findByUid(grantModel, id, clock())) ??
    (await artifacts.find(grantModel, digest(id), clock()))

  return (model) => ({
    async upsert(id, given, expiresIn = 0) {
      // Its cookie is ignored.
      if (model === 'Session') return
      const now = clock()
      const { payload, seconds } = adjustLifetime(model, given, expiresIn)
      const { jti: _jti, consumed: _consumed, ...rest } = payload
      const artifact = {
        payload: JSON.stringify(rest),
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
      const found =
        model === grantModel
          ? await findGrant(id)
          : await artifacts.find(model, digest(id), clock())
      if (!found) return undefined
      const isUsed = model === requestModel && (await isBound(store, digest(id), clock()))
      return toPayload(found.payload, id, isUsed ? clock() : found.consumed)
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
      const { ctx } = Provider
      if (model === requestModel) {
        if (ctx?.res.closed || (await consume(model, id, ctx))) return
        throw requestUsed()
      }
      changeLast(ctx, () => consumeCode(model, id, ctx))
    },

    async destroy(id) {
      if (model === 'Interaction') {
        changeLast(Provider.ctx, async () => {
          if (await useUp(artifacts.remove(model, digest(id)), true)) return
          throw new errors.SessionNotFound('the flow has ended')
        })
      } else if (model === grantModel) {
        // The OpenID provider destroys a grant if its refresh token is revoked, or if a code is used again.
        const isReplay = Provider.ctx?.oidc.route === 'token'
        // The client that disconnected has repeated the request, and this is the earlier one.
        if (isReplay && Provider.ctx?.res.closed) return
        await arrangements.withdraw(id, isReplay ? 'code_replayed' : 'third_party', clock())
      } else if (model !== 'RefreshToken') {
        // A refresh token ends with all others below: after a failure in between, it could not be revoked again.
        await artifacts.remove(model, digest(id))
      }
    },

    // Called for each model. An access token that is revoked ends alone; the end of an arrangement ends its tokens.
    async revokeByGrantId(grantId) {
      const { ctx } = Provider
      if (!ctx || ctx.oidc.entities.AccessToken || revokesGrant(ctx)) return
      if (ctx.oidc.route === 'token' && ctx.res.closed) return
      await artifacts.removeByGrant(grantId, grantModel)
    },
  })
}

/** How long an artifact is stored, if not as long as the OpenID provider says. */
function adjustLifetime(model: string, payload: AdapterPayload, expiresIn: number) {
  if (model === requestModel) return extendPushedRequest(payload)
  const isProof = model === 'ReplayDetection'
  return { payload, seconds: isProof ? expiresIn + proofMarginSeconds : expiresIn }
}
