import type { Ownership } from '../ownership.ts'
import type { AccountTypeName } from './account-types.ts'
import type { HistoryPlan } from './history.ts'
import type { AccountState } from './schedule.ts'

/** Everything about one account that its lines must agree on. */
export interface BankingPlan extends HistoryPlan, AccountState {
  readonly kind: AccountTypeName
  readonly productName: string
  readonly holding: Ownership
}
