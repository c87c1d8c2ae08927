import type { SigningKey } from '../../auth/signing-key-store.ts'
import { type FapiAlgorithm, fapiAlgorithms, isFapiKey } from './client-metadata.ts'
import type { ThirdParty } from './store.ts'

/**
 * How long a key is published before it signs. Until then, a process may still publish a key set without it, or a third
 * party may have one in its cache.
 */
export const publicationSeconds = 60

/** The keys that are published. Of those with the same algorithm, the first signs. `keys` are the newest first. */
export function selectKeys(keys: readonly SigningKey[], now: Temporal.Instant): SigningKey[] {
  const inUse = keys.filter(isFapiKey)
  const ready = inUse.filter((key) => isReady(key, now))
  // Without an earlier key, the oldest one must sign at once.
  const waiting = inUse.filter((key) => !isReady(key, now)).reverse()
  return [...ready, ...waiting]
}

/**
 * The algorithm of what is signed for a third party: the one that the platform signed with when the third party was
 * registered, as long as there is a key for it. A new key of another algorithm does not change it.
 */
export function selectAlgorithm(
  keys: readonly SigningKey[],
  selected: readonly SigningKey[],
  { created }: Pick<ThirdParty, 'created'>,
): FapiAlgorithm {
  const known = keys.filter(({ algorithm }) => fapiAlgorithms.some((name) => name === algorithm))
  const registered = known.find((key) => isReady(key, created)) ?? known.at(-1)
  const hasKey = selected.some(({ algorithm }) => algorithm === registered?.algorithm)
  const { algorithm } = (hasKey ? registered : selected[0]) ?? {}
  return fapiAlgorithms.find((name) => name === algorithm) ?? 'ES256'
}

function isReady({ created }: SigningKey, now: Temporal.Instant): boolean {
  return Temporal.Instant.compare(created.add({ seconds: publicationSeconds }), now) <= 0
}
