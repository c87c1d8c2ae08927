import type { Ownership } from '../ownership.ts'
import type { AccountTypeName } from './account-types.ts'
import type { HistoryPlan } from './history.ts'
import type { AccountState } from './schedule.ts'

/** The properties of one account that its lines have in common. */
export interface BankingPlan extends HistoryPlan, AccountState {
  readonly accountType: AccountTypeName
  readonly productName: string
  readonly ownership: Ownership
}
