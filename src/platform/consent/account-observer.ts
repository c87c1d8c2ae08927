import { openTokenBuckets } from '../../auth/token-bucket.ts'
import { type AccountChange, selectChanges } from './account-changes.ts'
import type { CustomerAccount, ReadCustomerAccounts } from './account-details.ts'
import { type ProviderClient, ProviderUnavailable, SharingRefused } from './customers.ts'
import { isOutage } from './outage.ts'
import {
  readAccountStates,
  readError,
  readOpenStatus,
  type Seen,
  served,
} from './read-account-states.ts'
import type { ArrangementStore, StoredArrangement } from './store.ts'

/** How long a page, or an error for a third party, may wait for each answer about the accounts. */
const reviewMs = 1500

/** How often a process asks what became of the missing accounts of a consent. */
const readSeconds = 60

/** A provider that contradicts itself must not cause a write for each request. */
const writesMax = 10
const writeSeconds = 60

const consentsMax = 10_000

interface ObserverOptions {
  readonly arrangements: ArrangementStore
  readonly readCustomerAccounts: ReadCustomerAccounts
  readonly provider: ProviderClient
  readonly clock: () => Temporal.Instant
}

export type AccountObserver = ReturnType<typeof openAccountObserver>
/** What one request saw of the accounts of a consent. */
export type Observation = ReturnType<AccountObserver['observe']>

type CustomerShare = Pick<StoredArrangement, 'customerId' | 'accountIds'>

/**
 * Learns the states of accounts from what the provider answers. A provider that does not respond changes no state, and a
 * database that does not respond affects no request.
 */
export function openAccountObserver({
  arrangements,
  readCustomerAccounts,
  provider,
  clock,
}: ObserverOptions) {
  const reads = openTokenBuckets(1, readSeconds, consentsMax)
  const writes = openTokenBuckets(writesMax, writeSeconds, consentsMax)

  const takeRead = (key: string): boolean => {
    if (reads.retryAfter(key) > 0) return false
    reads.take(key)
    return true
  }

  /** What became of the accounts of a consent, given those that the provider lists. */
  const explain = async (
    { customerId, accountIds }: CustomerShare,
    accounts: readonly CustomerAccount[],
    mayRead: () => boolean,
  ): Promise<ReadonlyMap<string, Seen>> => {
    const seen = new Map(
      accounts.map(({ id, isOpen }) => [
        id,
        isOpen === undefined ? served : readOpenStatus(isOpen),
      ]),
    )
    const missing = accountIds.filter((id) => !seen.has(id))
    if (missing.length === 0 || !mayRead()) return seen
    const signal = AbortSignal.timeout(reviewMs)
    const found = await readAccountStates(provider, customerId, missing, signal)
    return new Map([...seen, ...found])
  }

  /** What the provider says about every account of a consent. `accounts` is undefined if it does not list them. */
  const review = async (share: CustomerShare, mayRead: () => boolean) => {
    const { customerId, accountIds } = share
    const limits = { accountsMs: reviewMs, detailsMs: reviewMs }
    try {
      const { accounts } = await readCustomerAccounts(customerId, limits)
      return { accounts, seen: await explain(share, accounts, mayRead) }
    } catch (error) {
      if (!(error instanceof ProviderUnavailable || error instanceof SharingRefused)) throw error
      const said = readError(error.cause)
      const seen = said && isAboutCustomer(said) ? accountIds.map((id) => [id, said] as const) : []
      return { accounts: undefined, seen: new Map(seen) }
    }
  }

  const save = async (
    { id }: StoredArrangement,
    observed: readonly AccountChange[],
    earlier?: readonly AccountChange[],
  ): Promise<void> => {
    const known = earlier ?? (await arrangements.listAccountChanges(id))
    if (selectChanges(known, observed).length === 0 || writes.retryAfter(id) > 0) return
    writes.take(id)
    await arrangements.recordAccounts(id, observed, clock())
  }

  return {
    /** Reads the accounts of a customer for a page, without learning states. Undefined if the provider does not list them. */
    async list(customerId: string): Promise<readonly CustomerAccount[] | undefined> {
      const { accounts } = await review({ customerId, accountIds: [] }, () => false)
      return accounts
    },

    /** Reads the accounts of a consent for its customer. Undefined if the provider does not list them. */
    async review(arrangement: StoredArrangement): Promise<readonly CustomerAccount[] | undefined> {
      const { id, accountIds } = arrangement
      const time = clock()
      const isActive = arrangement.status === 'active'
      const { accounts, seen } = await review(arrangement, () => isActive && takeRead(`${id} page`))
      if (!isActive) return accounts
      await save(arrangement, toChanges(accountIds, seen, time)).catch(ignoreOutage)
      return accounts
    },

    /** Learns from a list of the customer's accounts, which a page has read. */
    async learn(
      arrangement: StoredArrangement,
      accounts: readonly CustomerAccount[],
      time: Temporal.Instant,
    ): Promise<void> {
      const { id, accountIds } = arrangement
      const seen = await explain(arrangement, accounts, () => takeRead(`${id} page`))
      await save(arrangement, toChanges(accountIds, seen, time)).catch(ignoreOutage)
    },

    /** Observes the answers to one request of a third party. */
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
        const isUnexplained = [...unknown].some((each) => last.get(each) !== 'no_longer_held')
        // The accounts may be of the other kind, refused or gone.
        if (isUnexplained && takeRead(id)) {
          const { seen } = await review(arrangement, () => true)
          changes.push(...toChanges(accountIds, seen, time))
        }
        await save(arrangement, changes, earlier)
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
          if (changes.length > 0 || unknown.size > 0) await record().catch(ignoreOutage)
        },
      }
    },
  }
}

function toChanges(
  accountIds: readonly string[],
  seen: ReadonlyMap<string, Seen>,
  time: Temporal.Instant,
): AccountChange[] {
  return accountIds.flatMap((accountId) => {
    const found = seen.get(accountId)
    return found ? [{ accountId, time, ...found }] : []
  })
}

function isAboutCustomer({ reason }: Seen): boolean {
  return reason === 'customer_refused' || reason === 'customer_unknown'
}

function ignoreOutage(error: unknown): void {
  if (!isOutage(error)) throw error
}
