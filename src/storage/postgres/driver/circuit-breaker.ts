import { ContractError } from '../../../contract/index.ts'
import { describe } from '../../statement.ts'
import type { Query } from './statements.ts'

/** How long a short statement may be unanswered before the breaker opens, and the next trial begins. */
const unansweredMs = 1000

/**
 * Load shedding for a data node that does not respond: once a short call has failed, or is unanswered for a second, one call at a
 * time is sent as a trial, and all others fail immediately instead of waiting for a connection. A result ends this.
 */
export function openCircuitBreaker(query: Query): Query {
  let isOpen = false
  let trialEnds = 0
  return async (statement, values) => {
    const now = performance.now()
    const { isLong } = describe(statement)
    const isTrial = isOpen
    if (isOpen && now < trialEnds) {
      throw new ContractError('unavailable', 'a data node of the database does not respond')
    }
    if (isTrial) trialEnds = now + unansweredMs
    const open = () => {
      isOpen = true
    }
    const timer = isLong ? undefined : setTimeout(open, unansweredMs)
    try {
      const rows = await query(statement, values)
      isOpen = false
      return rows
    } catch (error) {
      // A long statement may fail by itself: it may read too much for its timeout.
      if (error instanceof ContractError && !isLong) open()
      if (isTrial) trialEnds = 0
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}
