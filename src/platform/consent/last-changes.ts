import { isInDoubt, isOutage } from './outage.ts'

/**
 * Makes the change that uses up a code, a `request_uri`, a passcode or a flow. It is the last change of a request: if the
 * database fails before it, or rejects it, the request can be sent again. If the change may have been made, the request
 * succeeds with the result `inDoubt`: after an error, the repeated request could count as a second use.
 */
export async function useUp<Result, InDoubt>(
  change: Promise<Result>,
  inDoubt: InDoubt,
): Promise<Result | InDoubt> {
  try {
    return await change
  } catch (error) {
    if (isInDoubt(error)) return inDoubt
    throw error
  }
}

/** Makes changes at the same time that the success of the request does not depend on. An outage is ignored. */
export async function makeOptional(changes: readonly Promise<unknown>[]): Promise<void> {
  try {
    await Promise.all(changes)
  } catch (error) {
    if (!isOutage(error)) throw error
  }
}

type Change = () => Promise<void>

const lastChanges = new WeakMap<object, Change[]>()

/** Makes a change when everything else that the request changes is stored. */
export function changeLast(request: object | undefined, change: Change): void {
  if (!request) throw new Error('there is no request')
  lastChanges.set(request, [...(lastChanges.get(request) ?? []), change])
}

export async function makeLastChanges(request: object): Promise<void> {
  for (const change of lastChanges.get(request) ?? []) await change()
}
