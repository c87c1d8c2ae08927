import type { SigningKeyStore } from '../auth/signing-key-store.ts'
import type { Deliveries, DeliveryOptions } from '../platform/consent/outbox/deliveries.ts'
import type { ConsentStore } from '../platform/consent/store.ts'
import type { ConsentSettings } from './open-consent.ts'
import type { Telemetry } from './telemetry.ts'

/** Delivers the messages of the outbox. It needs an issuer, whose keys sign them. */
export async function openPlatformDeliveries(
  settings: ConsentSettings,
  { log, metrics }: Pick<Telemetry, 'log' | 'metrics'>,
  store: ConsentStore,
  signingKeys: SigningKeyStore,
  clock: () => Temporal.Instant,
): Promise<Deliveries> {
  const { openDeliveries } = await import('../platform/consent/outbox/deliveries.ts')
  const { isOutage } = await import('../platform/consent/outage.ts')
  const { issuer, brandId = issuer, customerReceipts = false } = settings
  await store.outbox.setReceipts(customerReceipts, clock())
  metrics?.watchOutbox(store.outbox.readWaiting, clock)
  return openDeliveries({
    store,
    signingKeys,
    brandId,
    clock,
    receipts: customerReceipts
      ? await openReceipts(settings, store, signingKeys, clock)
      : undefined,
    onResult: (result, count) => metrics?.countDelivery(result, count),
    onFailure: ({ kind, arrangementId: consent, recipient }, result, reason) =>
      log.warn({ kind, consent, recipient, result, reason }, 'message not delivered'),
    onError: (error) =>
      log[isOutage(error) ? 'warn' : 'error']({ err: error }, 'messages cannot be delivered'),
  })
}

async function openReceipts(
  { providerUrl, subdomain, brandName, passcodeUrl: url = '' }: ConsentSettings,
  store: ConsentStore,
  signingKeys: SigningKeyStore,
  clock: () => Temporal.Instant,
): Promise<DeliveryOptions['receipts']> {
  const { createReceipts } = await import('../platform/consent/outbox/receipts.ts')
  const { createMessagePost } = await import('../platform/consent/post-message.ts')
  const { openCustomers, openProviderClient } = await import('../platform/consent/customers.ts')
  return {
    url,
    prepare: createReceipts({
      store,
      customers: openCustomers(openProviderClient({ providerUrl, subdomain, signingKeys })),
      post: createMessagePost({ url, subdomain, signingKeys }),
      brandName,
      clock,
    }),
  }
}
