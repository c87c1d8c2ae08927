import type { FlowReason } from '../../contract/consent-flows.ts'
import type { Customers } from './customers.ts'
import {
  type NextStep,
  type PasscodeOwner,
  type PasscodeRequest,
  type Passcodes,
  passcodeDigits,
  resendSeconds,
  type TryResult,
} from './passcodes.ts'

export const emailLengthMax = 254

const passcodePattern = new RegExp(`^\\d{${passcodeDigits}}$`)

/** What the page shows, with its status. */
export interface SignInProblem {
  readonly text: string
  readonly status: 422 | 429
  /** For the record of the flow. */
  readonly reason: FlowReason
}

export interface SignInOptions {
  readonly customers: Customers
  readonly passcodes: Passcodes
}

export interface SignInAttempt extends PasscodeOwner {
  /** The address of the browser, for limits. */
  readonly source: string
}

/** Sends a passcode to the customers with an address. The answer is the same if there are none. */
export async function requestPasscode(
  { customers, passcodes }: SignInOptions,
  attempt: SignInAttempt,
  email: string,
): Promise<PasscodeRequest | { readonly problem: SignInProblem }> {
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > emailLengthMax) {
    return { problem: { text: invalidEmailText, status: 422, reason: 'invalid_email' } }
  }
  const tooSoon = {
    problem: { text: tooSoonText, status: 429, reason: 'passcode_too_soon' },
  } as const
  if (await passcodes.isTooSoon(attempt)) return tooSoon
  if (!(await passcodes.mayRequest(email, attempt.source))) {
    return { problem: { text: tooManyText, status: 429, reason: 'too_many_attempts' } }
  }
  const matches = await customers.search(email)
  return (await passcodes.request(attempt, email, matches, attempt.source)) ?? tooSoon
}

/** Counts a try, and proceeds with the customer if the passcode is correct. */
export async function checkPasscode<Result extends object>(
  { passcodes }: Pick<SignInOptions, 'passcodes'>,
  attempt: SignInAttempt,
  text: string,
  next: NextStep<Result>,
): Promise<Result | { readonly problem: SignInProblem }> {
  const passcode = text.replaceAll(/[\s-]/g, '')
  if (!passcodePattern.test(passcode)) {
    const text = `Enter the ${passcodeDigits} digits of the code`
    return { problem: { text, status: 422, reason: 'malformed_passcode' } }
  }
  const result = await passcodes.verify(attempt, passcode, attempt.source, next)
  if (result.outcome === 'correct') return result.result
  const status = result.outcome === 'too many' ? 429 : 422
  return { problem: { text: explainTry(result), status, reason: tryReasons[result.outcome] } }
}

const invalidEmailText = 'Enter your e-mail address, such as name@example.com'
const tooManyText = 'Too many attempts. Wait some minutes, then try again'
const tooSoonText = `We sent a code less than ${resendSeconds} seconds ago. Wait a moment before you request another one`

const tryReasons = {
  'too many': 'too_many_attempts',
  'no tries left': 'passcode_unusable',
  wrong: 'wrong_passcode',
} as const

function explainTry(result: Exclude<TryResult<never>, { readonly outcome: 'correct' }>): string {
  if (result.outcome === 'too many') return tooManyText
  if (result.outcome === 'no tries left')
    return 'This code can no longer be used. Request a new one'
  const count = result.triesLeft === 1 ? 'one more try' : `${result.triesLeft} more tries`
  return `The code is not correct. You have ${count}`
}
