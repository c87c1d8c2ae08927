import { ContractError } from '../../contract/index.ts'
import { ProviderUnavailable } from './customers.ts'

/** Whether the database or the provider does not respond. A later attempt may succeed. */
export function isOutage(error: unknown): error is Error {
  const isDatabase = error instanceof ContractError && error.code === 'unavailable'
  return isDatabase || error instanceof ProviderUnavailable
}

/** Whether the database failed, but may have made the change. */
export function isInDoubt(error: unknown): boolean {
  return error instanceof ContractError && error.isInDoubt
}
