import type { Holding } from '../ownership.ts'
import type { KindName } from './account-types.ts'
import type { HistoryPlan } from './history.ts'
import type { Course } from './schedule.ts'

/** Everything about one account that its lines must agree on. */
export interface BankingPlan extends HistoryPlan, Course {
  readonly kind: KindName
  readonly productName: string
  readonly holding: Holding
}
