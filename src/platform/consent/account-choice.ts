import type { AccountState } from '../../contract/account-states.ts'
import type { CustomerAccount, ShownAccount } from './account-details.ts'
import type { FlowContext } from './flow-context.ts'
import { listAccountKinds } from './scopes.ts'
import type { StoredArrangement } from './store.ts'

/** Why an account cannot be selected. */
export type ExclusionReason = 'not_asked' | 'closed' | 'not_shareable'

export interface AccountChoice {
  readonly offered: readonly CustomerAccount[]
  readonly excluded: readonly (ShownAccount & { readonly reason: ExclusionReason })[]
  /**
   * Of the consent to amend: accounts that the provider does not share now, for example because they are blocked. They stay
   * in the consent.
   */
  readonly keptAccountIds: readonly string[]
  /** Those of them that it lists nevertheless. */
  readonly kept: readonly ShownAccount[]
  /** The last state of each account of the consent to amend whose state changed. */
  readonly states: ReadonlyMap<string, AccountState>
  /** The consent to amend. */
  readonly earlier: StoredArrangement | undefined
}

/** The arrangement that the third party wants to amend, if it is one of the customer. */
export async function findAmended(
  { store, clock, amendedId = '' }: FlowContext,
  customerId: string,
): Promise<StoredArrangement | undefined> {
  const amended = amendedId === '' ? undefined : await store.arrangements.find(amendedId, clock())
  return amended?.status === 'active' && amended.customerId === customerId ? amended : undefined
}

/** The accounts of the customer, by whether they can be shared with the third party. */
export async function readAccountChoice(context: FlowContext): Promise<AccountChoice> {
  const { state, asked, readCustomerAccounts, clock } = context
  const { customerId = '' } = state
  const earlier = await findAmended(context, customerId)
  const kinds = listAccountKinds(asked.scopes)
  if (kinds.size === 0) {
    return { offered: [], excluded: [], keptAccountIds: [], kept: [], states: new Map(), earlier }
  }
  const time = clock()
  const { accounts } = await readCustomerAccounts(customerId)
  const shareable = new Set(accounts.filter((each) => each.isShareable).map(({ id }) => id))
  const keptAccountIds = (earlier?.accountIds ?? []).filter((id) => !shareable.has(id))
  const kept = new Set(keptAccountIds)
  const exclude = ({ kind, isOpen, isShareable }: CustomerAccount): ExclusionReason | undefined => {
    if (kind !== undefined && !kinds.has(kind)) return 'not_asked'
    if (isShareable) return undefined
    return isOpen ? 'not_shareable' : 'closed'
  }
  return {
    offered: accounts.filter((account) => exclude(account) === undefined),
    excluded: accounts
      .filter(({ id }) => !kept.has(id))
      .flatMap((account) => {
        const reason = exclude(account)
        return reason === undefined ? [] : [{ ...account, reason }]
      }),
    keptAccountIds,
    kept: accounts.filter(({ id }) => kept.has(id)),
    states: await learnStates(context, earlier, accounts, time),
    earlier,
  }
}

async function learnStates(
  { store, observer }: FlowContext,
  earlier: StoredArrangement | undefined,
  accounts: readonly CustomerAccount[],
  time: Temporal.Instant,
): Promise<AccountChoice['states']> {
  if (!earlier) return new Map()
  await observer.learn(earlier, accounts, time)
  const changes = await store.arrangements.listAccountChanges(earlier.id)
  return new Map(changes.map(({ accountId, state }) => [accountId, state]))
}

/** The accounts that are selected at first: of the consent to amend, those that are open. */
export function preselect({ offered, earlier }: AccountChoice): ReadonlySet<string> {
  const agreed = new Set(earlier?.accountIds)
  return new Set(
    offered.filter(({ id, isOpen }) => agreed.has(id) && isOpen !== false).map(({ id }) => id),
  )
}

/** What the state of a flow keeps of the chosen accounts. */
export function keepChoice(chosen: readonly CustomerAccount[]) {
  const times = chosen.map(({ created }) => created).filter((each) => each !== undefined)
  const [first] = times.sort(Temporal.Instant.compare)
  return {
    accounts: chosen.map(
      ({ created: _created, isShareable: _shareable, ...account }): ShownAccount => account,
    ),
    historyFrom: times.length === chosen.length ? first?.toString() : undefined,
  }
}
