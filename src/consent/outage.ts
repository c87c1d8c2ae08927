import { ContractError } from '../contract/index.ts'
import { ProviderUnavailable } from './customers.ts'

/** Whether the database or the provider does not respond. A later attempt may succeed. */
export function isOutage(error: unknown): error is Error {
  const isDatabase = error instanceof ContractError && error.code === 'unavailable'
  return isDatabase || error instanceof ProviderUnavailable
}
