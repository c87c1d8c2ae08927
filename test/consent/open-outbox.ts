import assert from 'node:assert/strict'
import { makeSigningKey } from '../../src/auth/signing.ts'
import type { SigningKey } from '../../src/auth/signing-key-store.ts'
import type { ChangeReason } from '../../src/contract/consent-statuses.ts'
import { type Deliveries, openDeliveries } from '../../src/platform/consent/outbox/deliveries.ts'
import type { ConsentStore, ThirdParty } from '../../src/platform/consent/store.ts'
import type { Scope } from '../support/engines.ts'
import { until } from '../support/until.ts'
import type { Recipient } from './recipient.ts'
import { makeArrangement, makeThirdParty, openStores } from './stores.ts'

export const brandId = 'https://bank.example'
const started = Temporal.Instant.from('2026-07-01T00:00:00Z')

export interface Outbox {
  readonly stores: readonly [ConsentStore, ConsentStore]
  readonly keys: SigningKey[]
  readonly results: string[]
  readonly reasons: string[]
  readonly errors: Error[]
  /** Until this many results of deliveries are stored. */
  untilSettled(count: number): Promise<void>
  now(): Temporal.Instant
  pass(seconds: number): void
  /** Opens the deliveries of a process. */
  deliver(options?: { readonly timeoutMs?: number; readonly store?: ConsentStore }): Deliveries
}

export async function openOutbox(
  scope: Scope,
  algorithm: 'ES256' | 'PS256' = 'ES256',
): Promise<Outbox> {
  const opened: Deliveries[] = []
  let offset = 0
  const stores = await openStores({
    after(close) {
      scope.after(async () => {
        for (const deliveries of opened) await deliveries.close()
        await close()
      })
    },
  })
  const now = () => started.add({ seconds: offset })
  const keys = [await makeSigningKey(algorithm, started.subtract({ hours: 1 }))]
  const [results, reasons, errors]: [string[], string[], Error[]] = [[], [], []]
  let settled = 0
  const countSettled =
    (settle: ConsentStore['outbox']['settle']): typeof settle =>
    async (...values) => {
      await settle(...values)
      settled += 1
    }
  return {
    stores,
    keys,
    untilSettled: (count) =>
      until(
        () => settled >= count,
        () => errors.join(),
      ),
    results,
    reasons,
    errors,
    now,
    pass(seconds) {
      offset += seconds
      for (const deliveries of opened) deliveries.wake()
    },
    deliver({ timeoutMs, store = stores[0] } = {}) {
      const deliveries = openDeliveries({
        store: { ...store, outbox: { ...store.outbox, settle: countSettled(store.outbox.settle) } },
        signingKeys: { list: async () => keys },
        brandId,
        clock: now,
        onResult: (result) => results.push(result),
        onFailure: (_message, _result, reason) => reasons.push(reason),
        onError: (error) => errors.push(error),
        timeoutMs,
      })
      opened.push(deliveries)
      return deliveries
    },
  }
}

export const register = (
  { stores }: Outbox,
  id: string,
  { baseUri }: Pick<Recipient, 'baseUri'>,
  fields: Partial<ThirdParty> = {},
) => stores[0].thirdParties.add(makeThirdParty(id, { recipientBaseUri: baseUri, ...fields }))

export async function withdraw(
  { stores, now }: Outbox,
  id: string,
  thirdPartyId = 'tp',
  reason: ChangeReason = 'customer',
): Promise<void> {
  const times = { from: now(), until: now().add({ hours: 24 * 30 }) }
  await stores[0].arrangements.add(makeArrangement(id, { thirdPartyId, ...times }))
  assert.ok(await stores[0].arrangements.withdraw(id, reason, now()))
}

export const find = async ({ stores }: Outbox, id: string) =>
  (await stores[0].outbox.listMessages([id])).get(id)?.[0]

export const untilState = (outbox: Outbox, id: string, state: string) =>
  until(
    async () => (await find(outbox, id))?.state === state,
    () => [...outbox.results, ...outbox.reasons, ...outbox.errors].join(),
  )

export const untilFailed = (outbox: Outbox, count: number) =>
  until(
    () => outbox.reasons.length >= count,
    () => outbox.errors.join(),
  )
