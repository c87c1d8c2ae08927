import { listRecords } from '../test/support/list-records.ts'
import { applyLoad } from '../test/support/load-model.ts'
import { emptyState, type State } from '../test/support/load-state.ts'
import { nanoseconds, newestFirst } from '../test/support/parse-line.ts'

/** The loaded data by version. Each load creates a version, and each response must match exactly one. */
export type Model = ReturnType<typeof openModel>

export interface CustomerAccounts {
  readonly customerId: string
  readonly banking: readonly string[]
  readonly energy: readonly string[]
}

/** Instants in UTC. */
export interface Window {
  readonly oldest: string
  readonly newest: string
}

/** No response is older. */
const versionsMax = 100

export function openModel(lines: readonly string[]) {
  const states = new Map([[0, load(emptyState(), lines)]])
  const stateAt = (version: number): State => {
    const state = states.get(version)
    if (!state) throw new Error(`the model has no version ${version}`)
    return state
  }
  return {
    customers: findCustomers(stateAt(0)),
    /** Adds the lines of a load, effective from that version on. */
    add(added: readonly string[], version: number): void {
      states.set(version, load(stateAt(version - 1), added))
      states.delete(version - versionsMax)
    },
    customer: (id: string, version: number): unknown => stateAt(version).customers.get(id)?.record,
    balance: (accountId: string, version: number): unknown =>
      listRecords(stateAt(version), accountId, 'banking.balance')[0]?.record,
    /** The records of a list, newest first. */
    list(type: string, accountIds: readonly string[], window: Window, version: number): unknown[] {
      const [oldest, newest] = [nanoseconds(window.oldest), nanoseconds(window.newest)]
      const state = stateAt(version)
      return accountIds
        .toSorted()
        .flatMap((accountId) => listRecords(state, accountId, type))
        .filter(({ time }) => time >= oldest && time <= newest)
        .sort(newestFirst)
        .map(({ record }) => record)
    },
  }
}

function load(before: State, lines: readonly string[]): State {
  const { state, errors } = applyLoad(before, lines, Temporal.Now.instant())
  if (errors.length > 0) throw new Error(`the soak test loads invalid lines: ${errors[0]}`)
  return state
}

/** The customers with both banking and energy accounts. */
function findCustomers({ accounts }: State): CustomerAccounts[] {
  const owned = new Map<string, { banking: string[]; energy: string[] }>()
  for (const [accountId, { kind, holders }] of accounts) {
    for (const customerId of holders.keys()) {
      const lists = owned.getOrInsertComputed(customerId, () => ({ banking: [], energy: [] }))
      lists[kind].push(accountId)
    }
  }
  return [...owned]
    .map(([customerId, lists]) => ({ customerId, ...lists }))
    .filter(({ banking, energy }) => banking[0] && energy[0])
}
