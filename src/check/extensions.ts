import { errorTable } from '../contract/index.ts'
import type { CheckContext } from './context.ts'
import type { HttpResponse } from './http-client.ts'
import { CheckFailure } from './outcome.ts'
import { findInputs } from './requests.ts'
import { readError } from './responses.ts'

/**
 * Finds the extensions of the interface that the provider does not serve, which it may leave out undeclared, and those of
 * which this is unknown: by reference, with the reason.
 */
export async function findUnserved(context: CheckContext): Promise<ReadonlyMap<string, string>> {
  const unserved = new Map<string, string>()
  for (const operation of context.operations.filter(({ isExtension }) => isExtension)) {
    const [input] = await findInputs(context, operation).catch(ignoreSkip)
    if (!input) unserved.set(operation.ref, 'an extension, and no customer has an account for it')
    else if (!isServed(await context.requestUnaudited(operation, input)))
      unserved.set(operation.ref, 'an extension of the interface, which the provider does not have')
  }
  return unserved
}

/** Without customers there is no request. The checks themselves report that none was found. */
function ignoreSkip(error: unknown): [] {
  if (error instanceof CheckFailure) return []
  throw error
}

/** The responses of servers and gateways to a path that they do not serve. */
const unservedStatuses: readonly number[] = [403, 404, 405, 501]

/** Errors of an operation that looked for the account. */
const operationErrors: readonly unknown[] = [
  errorTable.customer_not_found.message,
  errorTable.account_not_found.message,
]

function isServed(response: HttpResponse): boolean {
  return (
    !unservedStatuses.includes(response.status) || operationErrors.includes(readError(response))
  )
}
