import { openTokenBuckets } from '../../auth/token-bucket.ts'
import { type AccountChange, selectChanges } from './account-changes.ts'
import type { Customers, ProviderClient } from './customers.ts'
import { isOutage } from './outage.ts'
import { probeAccounts, readError, type Seen, served } from './probe-accounts.ts'
import type { ArrangementStore, StoredArrangement } from './store.ts'

/** How long an error for a third party may wait for the question what became of an account. */
const explainMs = 1500

/** How often a process asks for the unknown accounts of a consent. */
const explainSeconds = 60

/** A provider that contradicts itself must not cause a write for each request. */
const writesMax = 10
const writeSeconds = 60

const consentsMax = 10_000

interface ObserverOptions {
  readonly arrangements: ArrangementStore
  readonly customers: Customers
  readonly provider: ProviderClient
  readonly clock: () => Temporal.Instant
}

export type AccountObserver = ReturnType<typeof openAccountObserver>
/** What one request saw of the accounts of a consent. */
export type Observation = ReturnType<AccountObserver['observe']>

/**
 * Learns the states of accounts from what the provider answers in any case. A provider that does not respond changes no
 * state, and a database that does not respond affects no request.
 */
export function openAccountObserver(options: ObserverOptions) {
  const { arrangements, clock } = options
  const explanations = openTokenBuckets(1, explainSeconds, consentsMax)
  const writes = openTokenBuckets(writesMax, writeSeconds, consentsMax)

  return {
    observe(arrangement: StoredArrangement) {
      const { id, accountIds } = arrangement
      const time = clock()
      const changes: AccountChange[] = []
      const named = new Set<string>()
      const unknown = new Set<string>()

      const note = (seenIds: Iterable<string>, seen: Seen): void => {
        for (const accountId of seenIds) changes.push({ accountId, time, ...seen })
      }
      const noteError = (error: unknown): void => {
        const seen = readError(error)
        if (!seen) return
        const about = isAboutCustomer(seen) ? accountIds : named
        if (seen.state !== 'no_longer_held') note(about, seen)
        else for (const accountId of about) unknown.add(accountId)
      }
      const record = async (): Promise<void> => {
        const earlier = await arrangements.listAccountChanges(id)
        const last = new Map(earlier.map(({ accountId, state }) => [accountId, state]))
        const unexplained = [...unknown].filter((each) => last.get(each) !== 'no_longer_held')
        if (unexplained.length > 0 && explanations.retryAfter(id) === 0) {
          explanations.take(id)
          const found = await explainUnknown(options, arrangement, unexplained)
          for (const [accountId, seen] of found) note([accountId], seen)
        }
        if (selectChanges(earlier, changes).length === 0 || writes.retryAfter(id) > 0) return
        writes.take(id)
        await arrangements.recordAccounts(id, changes, clock())
      }

      return {
        note,
        /** The request is about an account. */
        name: (accountId: string): void => void named.add(accountId),
        /** An operation of one kind does not know the account. */
        noteUnknown: (accountId: string): void => void unknown.add(accountId),
        /** Notes what an answer of the provider says about the account of the request. */
        async watch<Result>(answer: Promise<Result>): Promise<Result> {
          try {
            const result = await answer
            note(named, served)
            return result
          } catch (error) {
            noteError(error)
            throw error
          }
        },
        /** Writes only if a state has changed. An outage is ignored. */
        async record(): Promise<void> {
          if (changes.length === 0 && unknown.size === 0) return
          await record().catch((error: unknown) => {
            if (!isOutage(error)) throw error
          })
        },
      }
    },
  }
}

/**
 * What became of accounts that an operation of one kind does not know: they may be of the other kind, refused or gone.
 * Throws `ProviderUnavailable` if the provider does not say.
 */
async function explainUnknown(
  { customers, provider }: ObserverOptions,
  { customerId, accountIds }: StoredArrangement,
  unknown: readonly string[],
): Promise<readonly (readonly [string, Seen])[]> {
  const signal = AbortSignal.timeout(explainMs)
  try {
    const accounts = await customers.listAccounts(customerId, explainMs)
    const listed = new Set(accounts.map(({ id }) => id))
    const unlisted = unknown.filter((id) => !listed.has(id))
    const shareable = unknown.filter((id) => listed.has(id)).map((id) => [id, served] as const)
    return [...shareable, ...(await probeAccounts(provider, customerId, unlisted, signal))]
  } catch (error) {
    const seen = error instanceof Error ? readError(error.cause) : undefined
    if (!seen || !isAboutCustomer(seen)) throw error
    return accountIds.map((id) => [id, seen])
  }
}

function isAboutCustomer({ reason }: Seen): boolean {
  return reason === 'customer_refused' || reason === 'customer_unknown'
}
