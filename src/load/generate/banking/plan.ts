import type { Holding } from '../holdings.ts'
import type { HistoryPlan } from './history.ts'
import type { KindName } from './kinds.ts'
import type { Course } from './rhythm.ts'

/** Everything about one account that its lines must agree on. */
export interface BankingPlan extends HistoryPlan, Course {
  readonly kind: KindName
  readonly productName: string
  readonly holding: Holding
}
