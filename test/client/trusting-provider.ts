import { openKeySet } from '../../src/auth/key-set.ts'
import { createTokenVerifier } from '../../src/auth/verify-token.ts'
import { openReplayStore } from '../../src/storage/open.ts'
import type { Scope } from '../support/engines.ts'
import { openProvider } from '../support/provider.ts'

/** Serves a database to clients of the subdomain `s` that sign with a key of the key set. Returns the base URL. */
export async function openTrustingProvider(
  scope: Scope,
  database: string,
  jwksUrl: string,
  accountVersion: 3 | 4 = 4,
): Promise<string> {
  const clock = () => Temporal.Now.instant()
  const replay = await openReplayStore(database, clock)
  const keys = openKeySet({ url: jwksUrl })
  scope.after(async () => {
    keys.close()
    await replay.close()
  })
  const bases = { provider: '', resource: '' }
  const verifyToken = createTokenVerifier({ subdomain: 's', bases, keys, replay, clock })
  const { address } = await openProvider(scope, [], {
    database,
    accountVersion,
    clock,
    verifyToken,
  })
  Object.assign(bases, { provider: address, resource: address })
  return address
}
