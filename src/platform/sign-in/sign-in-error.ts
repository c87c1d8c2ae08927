import { AuthorizationResponseError, ResponseBodyError } from 'oauth4webapi'
import type { SignInFailure } from '../../contract/index.ts'

/** A sign-in that failed. The message is for the log: it has no claim, and nothing else that was received. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
  readonly failure: SignInFailure

  constructor(failure: SignInFailure, message: string) {
    super(message)
    this.failure = failure
  }
}

/** Without the cause of an error of the library, which contains what was received. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { name, message, cause } = error
  if (name === 'TimeoutError') return 'timed out'
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return `${message} (${/^[a-z_]{1,40}$/.test(error.error) ? error.error : 'unknown'})`
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined
  return code ?? message
}
