import type { AccountReason, AccountState } from '../../contract/account-states.ts'

/** What the platform saw of an account of a consent when it asked the provider. */
export interface AccountChange {
  readonly accountId: string
  /** When the provider was asked. */
  readonly time: Temporal.Instant
  /** An amendment removes accounts: the earlier terms of the consent show them. */
  readonly state: Exclude<AccountState, 'removed'>
  readonly reason: AccountReason
}

/**
 * The observations that change the state of an account, given its earlier changes, oldest first. An account without changes
 * is available, since the customer chose it. The later observation wins: one that is older than the last change is ignored.
 */
export function selectChanges(
  earlier: readonly AccountChange[],
  observed: readonly AccountChange[],
): readonly AccountChange[] {
  const last = new Map(earlier.map((change) => [change.accountId, change]))
  return observed.filter((change) => {
    const { accountId, time, state, reason } = change
    const before = last.get(accountId)
    if (before && Temporal.Instant.compare(time, before.time) <= 0) return false
    const present = before?.state ?? 'available'
    // A closed account has data too.
    if (state === present || (reason === 'served' && present === 'closed')) return false
    last.set(accountId, change)
    return true
  })
}
