import { errorTable, type Operation } from '../contract/index.ts'
import type { CheckContext } from './context.ts'
import type { HttpResponse } from './http-client.ts'
import { CheckFailure } from './outcome.ts'
import { findInputs } from './requests.ts'
import { readError } from './responses.ts'

/** Finds the extensions of the interface that the provider does not serve: a provider may leave them out undeclared. */
export async function findUnserved(context: CheckContext): Promise<readonly Operation[]> {
  const unserved: Operation[] = []
  for (const operation of context.operations.filter(({ isExtension }) => isExtension)) {
    const [input] = await findInputs(context, operation).catch(ignoreSkip)
    if (!(input && isServed(await context.probe(operation, input)))) unserved.push(operation)
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
