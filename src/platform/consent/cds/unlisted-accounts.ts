import { printable } from '../../../contract/index.ts'
import { CdsError } from '../../cds/errors.ts'
import { askProvider, SharingRefused } from '../customers.ts'
import { accountRefused } from '../read-account-states.ts'
import { type CdsCall, errorsOf, toInput } from './shared-data.ts'

/** How many calls of the provider one body may cost, and how many of them at once. */
const callsMax = 64
const concurrentCallsMax = 8

/** An account as the third party names it, and the provider’s ID. */
type Account = readonly [requested: string, accountId: string]

/**
 * Rejects accounts in a body that are shared, and that B1 or E1 does not list: either the provider refuses to share them now, or
 * it does not have them as accounts of the kind. `accounts` are the provider's IDs by those of the third party.
 *
 * The provider refuses accounts only if it has all of them. If it does not refuse, each half is asked for. Accounts that
 * remain after `callsMax` count as refused: the third party must not conclude that they are gone.
 */
export async function rejectUnlistedAccounts(
  call: CdsCall,
  accounts: ReadonlyMap<string, string>,
): Promise<never> {
  const refused: Account[] = []
  let isForbidden = false
  const undecided: (readonly Account[])[] = [[...accounts]]
  for (let calls = 0; calls < callsMax && undecided.length > 0; ) {
    const groups = undecided.splice(0, Math.min(concurrentCallsMax, callsMax - calls))
    calls += groups.length
    const statuses = await Promise.all(groups.map((group) => readRefusal(call, group)))
    for (const [index, group] of groups.entries()) {
      const status = statuses[index]
      if (status !== undefined) refused.push(...group)
      else if (group.length > 1) undecided.push(...halve(group))
      isForbidden ||= status === 403
    }
  }
  const refusedIds = new Set(refused.map(([, accountId]) => accountId))
  call.observation.note(refusedIds, accountRefused)
  const named = new Set([...refused, ...undecided.flat()].map(([requested]) => requested))
  const inOrder = [...accounts.keys()].filter((requested) => named.has(requested)).map(printable)
  const error = isForbidden ? 'sharingRefused' : errorsOf(call).unavailableInBody
  const isRefusal = refused.length > 0
  if (inOrder.length > 0) throw new CdsError(error, inOrder, {}, { isRefusal })
  for (const accountId of accounts.values()) call.observation.noteUnknown(accountId)
  throw new CdsError(errorsOf(call).unknownInBody, [...accounts.keys()].map(printable))
}

/** The status of the refusal, if the provider refuses to share the accounts. */
async function readRefusal(
  { provider, endpoint, ...call }: CdsCall,
  accounts: readonly Account[],
): Promise<number | undefined> {
  const accountIds = accounts.map(([, accountId]) => accountId)
  const input = { ...toInput(call), body: { data: { accountIds } } }
  try {
    await askProvider<unknown>(provider, [404, 422], (client) =>
      endpoint.accounts === 'energy'
        ? client.listEnergyAccountDetails(input)
        : client.listBankingBalances(input),
    )
    return undefined
  } catch (error) {
    if (error instanceof SharingRefused) return error.status
    throw error
  }
}

function halve(accounts: readonly Account[]): readonly (readonly Account[])[] {
  const middle = Math.ceil(accounts.length / 2)
  return [accounts.slice(0, middle), accounts.slice(middle)]
}
