import type { Logger } from 'pino'
import type { KeySet } from '../auth/key-set.ts'
import type { Metrics } from './observe/metrics.ts'

/** Opens a key set whose fetches are logged and counted. */
export async function openLoggedKeys(
  url: string,
  log: Logger,
  metrics: Metrics | undefined,
): Promise<KeySet> {
  const { openKeySet } = await import('../auth/key-set.ts')
  const keys = openKeySet({
    url,
    onFetch(outcome) {
      metrics?.countKeyFetch('failure' in outcome ? 'failed' : 'fetched')
      if ('failure' in outcome) {
        log.warn({ url: withoutSecrets(url), reason: outcome.failure }, 'no keys fetched')
      } else {
        log.debug({ url: withoutSecrets(url), keys: outcome.keys }, 'keys fetched')
      }
    },
  })
  metrics?.watchKeyAge(keys.ageMs)
  return keys
}

/** User information and a query may contain secrets. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
