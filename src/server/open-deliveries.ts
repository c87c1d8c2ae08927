import type { SigningKeyStore } from '../auth/signing-key-store.ts'
import type { Deliveries } from '../platform/consent/outbox/deliveries.ts'
import type { ConsentStore } from '../platform/consent/store.ts'
import type { ConsentSettings } from './open-consent.ts'
import type { Telemetry } from './telemetry.ts'

/** Delivers the messages of the outbox. It needs an issuer, whose keys sign them. */
export async function openPlatformDeliveries(
  { issuer, brandId = issuer }: ConsentSettings,
  { log, metrics }: Pick<Telemetry, 'log' | 'metrics'>,
  store: ConsentStore,
  signingKeys: SigningKeyStore,
  clock: () => Temporal.Instant,
): Promise<Deliveries> {
  const { openDeliveries } = await import('../platform/consent/outbox/deliveries.ts')
  const { isOutage } = await import('../platform/consent/outage.ts')
  metrics?.watchOutbox(store.outbox.readWaiting, clock)
  return openDeliveries({
    store,
    signingKeys,
    brandId,
    clock,
    onResult: (result, count) => metrics?.countDelivery(result, count),
    onFailure: (thirdParty, result, reason) =>
      log.warn({ thirdParty, result, reason }, 'third party not informed'),
    onError: (error) =>
      log[isOutage(error) ? 'warn' : 'error']({ err: error }, 'messages cannot be delivered'),
  })
}
