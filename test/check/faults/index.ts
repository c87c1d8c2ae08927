import { consistencyFaults } from './consistency.ts'
import { errorFaults } from './errors.ts'
import type { Fault } from './fault.ts'
import { filterFaults } from './filters.ts'
import { pagingFaults } from './paging.ts'
import { recordFaults } from './records.ts'
import { tokenFaults } from './tokens.ts'

export const faults: readonly Fault[] = [
  ...tokenFaults,
  ...pagingFaults,
  ...filterFaults,
  ...errorFaults,
  ...recordFaults,
  ...consistencyFaults,
]
