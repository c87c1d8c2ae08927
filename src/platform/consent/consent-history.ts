import type { AccountReason, AccountState } from '../../contract/account-states.ts'
import type { ConsentDetail } from '../../contract/index.ts'
import type { AccountChange } from './account-changes.ts'
import type { ArrangementChange, ConsentStore, Disclosure, StoredArrangement } from './store.ts'

/** The present state of an account that the customer agreed to share. */
export interface ConsentAccount {
  readonly accountId: string
  readonly state: AccountState
  readonly reason: AccountReason
  readonly since: Temporal.Instant
}

/** What an amendment changed. */
export interface Amendment {
  readonly time: Temporal.Instant
  readonly earlierScopes: readonly string[]
  readonly scopes: readonly string[]
  readonly addedAccountIds: string[]
  readonly removedAccountIds: string[]
  readonly addedScopes: string[]
  readonly removedScopes: string[]
  /** When the sharing would have ended. */
  readonly earlierUntil: Temporal.Instant
  readonly until: Temporal.Instant
}

export interface ConsentHistory {
  /** When the customer gave the consent that was amended since. */
  readonly given: Temporal.Instant
  /** Oldest first, as are the changes. */
  readonly amendments: readonly Amendment[]
  readonly changes: readonly ArrangementChange[]
  readonly accountChanges: readonly AccountChange[]
  /** Those of the consent in their order, followed by those that an amendment removed. */
  readonly accounts: readonly ConsentAccount[]
  readonly disclosures: readonly Disclosure[]
}

type ConsentHistoryRecord = Pick<
  ConsentDetail,
  'changes' | 'accounts' | 'accountChanges' | 'amendments' | 'disclosures'
>

export async function readConsentHistory(
  { arrangements, disclosures }: Pick<ConsentStore, 'arrangements' | 'disclosures'>,
  arrangement: StoredArrangement,
): Promise<ConsentHistory> {
  const { id } = arrangement
  const [versions, changes, accountChanges, disclosed] = await Promise.all([
    arrangements.listVersions(id),
    arrangements.listChanges(id),
    arrangements.listAccountChanges(id),
    disclosures.list(id),
  ])
  const terms = [...versions, arrangement]
  return {
    given: terms[0]?.from ?? arrangement.from,
    amendments: versions.map((before, index) => compare(before, terms[index + 1] ?? arrangement)),
    changes,
    accountChanges,
    accounts: describeAccounts(arrangement, versions, accountChanges),
    disclosures: disclosed,
  }
}

function compare(before: StoredArrangement, after: StoredArrangement): Amendment {
  const without = (items: readonly string[], others: readonly string[]): string[] => {
    const excluded = new Set(others)
    return items.filter((item) => !excluded.has(item))
  }
  return {
    time: before.updated,
    earlierScopes: before.scopes,
    scopes: after.scopes,
    addedAccountIds: without(after.accountIds, before.accountIds),
    removedAccountIds: without(before.accountIds, after.accountIds),
    addedScopes: without(after.scopes, before.scopes),
    removedScopes: without(before.scopes, after.scopes),
    earlierUntil: before.until,
    until: after.until,
  }
}

function describeAccounts(
  { accountIds, from }: StoredArrangement,
  versions: readonly StoredArrangement[],
  accountChanges: readonly AccountChange[],
): ConsentAccount[] {
  const last = new Map(accountChanges.map((change) => [change.accountId, change]))
  /** When each account was chosen, if it is among the accounts since then. */
  const chosen = new Map<string, Temporal.Instant>()
  const removed = new Map<string, Temporal.Instant>()
  for (const [index, version] of versions.entries()) {
    const before = new Set(versions[index - 1]?.accountIds)
    for (const id of version.accountIds) {
      if (!before.has(id)) chosen.set(id, version.from)
      removed.set(id, version.updated)
    }
  }
  const previous = new Set(versions.at(-1)?.accountIds)
  for (const id of accountIds) {
    if (!previous.has(id)) chosen.set(id, from)
    removed.delete(id)
  }
  return [
    ...accountIds.map((accountId): ConsentAccount => {
      const change = last.get(accountId)
      if (!change) {
        const since = chosen.get(accountId) ?? from
        return { accountId, state: 'available', reason: 'chosen', since }
      }
      const { state, reason, time } = change
      return { accountId, state, reason, since: time }
    }),
    ...[...removed].map(([accountId, since]): ConsentAccount => {
      return { accountId, state: 'removed', reason: 'amended', since }
    }),
  ]
}

/** As the contract describes it. */
export function formatHistory(history: ConsentHistory): ConsentHistoryRecord {
  const { changes, accounts, accountChanges, amendments, disclosures } = history
  const format = (time: Temporal.Instant) => time.toString()
  return {
    changes: changes.map((change) => ({ ...change, time: format(change.time) })),
    accounts: accounts.map((account) => ({ ...account, since: format(account.since) })),
    accountChanges: accountChanges.map((change) => ({ ...change, time: format(change.time) })),
    amendments: amendments.map(({ earlierScopes: _before, scopes: _after, ...amendment }) => ({
      ...amendment,
      time: format(amendment.time),
      earlierUntil: format(amendment.earlierUntil),
      until: format(amendment.until),
    })),
    disclosures: disclosures.map(({ scope, first, last }) => ({
      scope,
      first: format(first),
      last: format(last),
    })),
  }
}
