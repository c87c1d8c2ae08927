import { type Customers, ProviderUnavailable, SharingRefused } from '../customers.ts'
import type { PostMessage } from '../post-message.ts'
import { describeScopes } from '../scopes.ts'
import type { ConsentStore } from '../store.ts'
import type { ClaimedMessage } from './store.ts'

interface ReceiptOptions {
  readonly store: Pick<ConsentStore, 'arrangements' | 'thirdParties'>
  readonly customers: Pick<Customers, 'read'>
  readonly post: PostMessage
  readonly brandName: string
  readonly clock: () => Temporal.Instant
}

/**
 * Sends a prepared receipt and returns the status. Undefined if the customer cannot be reached; `refused` if the provider
 * refuses to share the customer's data.
 */
type Send = (signal: AbortSignal) => Promise<number | 'refused' | undefined>

/** Prepares a receipt. Undefined if there is nothing to send. */
export type PrepareReceipt = (message: ClaimedMessage) => Promise<Send | undefined>

/**
 * Returns a function that prepares receipts. What they say is read when they are sent, the name and the addresses of the
 * customer at the provider: the outbox has no personal data.
 */
export function createReceipts(options: ReceiptOptions): PrepareReceipt {
  const { store, customers, post, brandName, clock } = options

  return async ({ id, kind, arrangementId, created }) => {
    const found = await store.arrangements.find(arrangementId, clock())
    if (!found) return undefined
    const thirdParty = await store.thirdParties.find(found.thirdPartyId)
    const changes = await store.arrangements.listChanges(arrangementId)
    const end = kind === 'receipt_ended' ? changes.at(-1) : undefined
    const receipt = {
      purpose: 'receipt',
      id,
      event: kind.replace('receipt_', ''),
      time: created.toString(),
      consentId: arrangementId,
      ...(thirdParty && { thirdParty: thirdParty.name }),
      data: describeScopes(found.scopes).map(({ name }) => name),
      accountCount: found.accountIds.length,
      until: found.until.toString(),
      ...(end && { reason: end.reason }),
      brandName,
    }
    return async (signal) => {
      const customer = await customers.read(found.customerId, signal).catch(withoutDetails)
      if (customer === 'refused') return customer
      const { name, phoneNumber, email } = customer ?? {}
      if (phoneNumber === undefined && email === undefined) return undefined
      return post({ name, phoneNumber, email, ...receipt }, signal)
    }
  }
}

function withoutDetails(error: unknown): 'refused' {
  if (error instanceof SharingRefused) return 'refused'
  if (error instanceof ProviderUnavailable) throw new Error('data provider unavailable')
  throw error
}
