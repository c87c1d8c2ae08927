import { epochNanoseconds } from '../../contract/date-time.ts'
import type { Restriction } from '../../contract/index.ts'
import {
  type AccountQuery,
  type AccountsQuery,
  type CustomerQuery,
  type MissingFrom,
  refused,
} from './source.ts'

/** What can be refused: accounts only if the query names any. */
type Refusable<Query> = Query extends AccountQuery | AccountsQuery
  ? 'customer' | 'account'
  : 'customer'

/**
 * Answers a query of a customer who exists as if there were no restricted accounts, or refuses. `accounts` are those of
 * the customer; `answer` gets the ones that are not restricted, and must say that others are missing.
 */
export function withRestrictions<
  Query extends CustomerQuery,
  Account extends { readonly accountId: string },
  Answer,
>(
  restrictions: readonly Restriction[],
  accounts: readonly Account[],
  query: Query,
  answer: (shared: readonly Account[], query: Query) => Answer,
  now: Temporal.Instant = Temporal.Now.instant(),
): Answer | MissingFrom<Refusable<Query>> {
  const current = restrictions.filter(
    ({ until }) => until === undefined || epochNanoseconds(until) > now.epochNanoseconds,
  )
  const ofCustomer = current.findLast(({ customerId }) => customerId === query.customerId)
  if (ofCustomer) return refused('customer', ofCustomer.reason)

  const byAccount = new Map(current.map((each) => [each.accountId, each.reason]))
  const shared = accounts.filter(({ accountId }) => !byAccount.has(accountId))
  const held = new Set(accounts.map(({ accountId }) => accountId))
  const named = listNamed(query)
  // An account that the customer does not hold is missing, whatever its restriction.
  if (!named.every((id) => held.has(id))) return answer(shared, query)
  const reasons = named.flatMap((id) => byAccount.get(id) ?? [])
  const reason = reasons.find((each) => each === 'harm') ?? reasons[0]
  if (reason === undefined) return answer(shared, query)
  return refused('account', reason) as MissingFrom<Refusable<Query>>
}

function listNamed(query: Partial<AccountQuery & AccountsQuery>): readonly string[] {
  return query.accountIds ?? (query.accountId === undefined ? [] : [query.accountId])
}
