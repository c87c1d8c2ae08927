import { errorTable } from './errors.ts'

/** The responses of servers and gateways to a path that they do not serve. */
const unservedStatuses: readonly number[] = [403, 404, 405, 501]

/** Errors of an operation that looked for the account. */
const operationErrors: readonly unknown[] = [
  errorTable.customer_not_found.message,
  errorTable.account_not_found.message,
]

/** Whether a provider has an extension of the interface, by its response. `error` is the text of an error. */
export function isExtensionServed(status: number, error: unknown): boolean {
  return !unservedStatuses.includes(status) || operationErrors.includes(error)
}
