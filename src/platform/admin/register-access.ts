import type { KeySet } from '../../auth/key-set.ts'
import type { ReplayStore } from '../../auth/replay-store.ts'
import { digest } from '../../auth/secrets.ts'
import { createTokenVerifier } from '../../auth/verify-token.ts'
import type { ArtifactStore } from '../consent/store.ts'

/** The client ID of the register, which is the iss and the sub of its tokens. */
const registerClientId = 'cdr-register'

const model = 'RegisterToken'

interface RegisterAccessOptions {
  /** The admin base URI, which is the audience of every token. */
  readonly audience: string
  readonly keys: KeySet
  readonly artifacts: Pick<ArtifactStore, 'add'>
  readonly clock: () => Temporal.Instant
}

/**
 * Returns a function that authenticates the register by the `Authorization` headers of a request: with a token that it has
 * signed itself, for one use. It rejects with `TokenRejected`.
 */
export function openRegisterAccess({ audience, keys, artifacts, clock }: RegisterAccessOptions) {
  const replay: Pick<ReplayStore, 'recordUse'> = {
    async recordUse(tokenId, keptUntil) {
      const expires = Temporal.Instant.fromEpochMilliseconds(keptUntil * 1000)
      const isFirst = await artifacts.add(
        model,
        digest(tokenId),
        { payload: '{}', expires },
        clock(),
      )
      return isFirst ? 'first use' : 'used before'
    },
  }
  const bases = { provider: audience, resource: audience }
  const verify = createTokenVerifier({ subdomain: registerClientId, bases, keys, replay, clock })
  return async (authorization: readonly string[]): Promise<void> => {
    const { recorded } = await verify({ authorization, path: '', operation: { base: 'provider' } })
    await recorded
  }
}
