import { isExtensionServed } from '../contract/extension-served.ts'
import type { CheckContext } from './context.ts'
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
    if (!input) {
      unserved.set(operation.ref, 'an extension, and no customer has an account for it')
    } else {
      const response = await context.requestUnaudited(operation, input)
      if (!isExtensionServed(response.status, readError(response)))
        unserved.set(
          operation.ref,
          'an extension of the interface, which the provider does not have',
        )
    }
  }
  return unserved
}

/** Without customers there is no request. The checks themselves report that none was found. */
function ignoreSkip(error: unknown): [] {
  if (error instanceof CheckFailure) return []
  throw error
}
