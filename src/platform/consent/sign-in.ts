import type { FlowReason } from '../../contract/consent-flows.ts'
import { passcodeBudgets } from '../../contract/request-limits.ts'
import type { Customers } from './customers.ts'
import type { OverLimit } from './passcode-budgets.ts'
import {
  type NextStep,
  type PasscodeOwner,
  type Passcodes,
  passcodeDigits,
  resendSeconds,
} from './passcodes.ts'

export const emailLengthMax = 254

const passcodePattern = new RegExp(`^\\d{${passcodeDigits}}$`)

export interface SignInOptions {
  readonly customers: Customers
  readonly passcodes: Passcodes
}

/** Sends a passcode to the customers with an address. The answer is the same if there are none. */
export async function requestPasscode(
  { customers, passcodes }: SignInOptions,
  owner: PasscodeOwner,
  email: string,
) {
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > emailLengthMax) {
    return fail(422, 'invalid_email', 'Enter your e-mail address, such as name@example.com')
  }
  if (await passcodes.isTooSoon(owner)) return failTooSoon()
  const over = await passcodes.takeRequest(email, owner)
  if (over) return failOver(over)
  const sent = await passcodes.request(owner, email, await customers.search(email))
  return sent ?? failTooSoon()
}

/** Counts a try, and proceeds with the customer if the passcode is correct. */
export async function checkPasscode<Result extends object>(
  { passcodes }: Pick<SignInOptions, 'passcodes'>,
  owner: PasscodeOwner,
  text: string,
  next: NextStep<Result>,
): Promise<Result | ReturnType<typeof fail>> {
  const passcode = text.replaceAll(/[\s-]/g, '')
  if (!passcodePattern.test(passcode)) {
    return fail(422, 'malformed_passcode', `Enter the ${passcodeDigits} digits of the code`)
  }
  const tried = await passcodes.verify(owner, passcode, next)
  switch (tried.outcome) {
    case 'correct':
      return tried.result
    case 'too many':
      return failOver(tried)
    case 'no tries left':
      return fail(422, 'passcode_unusable', 'This code can no longer be used. Request a new one')
    case 'wrong': {
      const count = tried.triesLeft === 1 ? 'one more try' : `${tried.triesLeft} more tries`
      return fail(422, 'wrong_passcode', `The code is not correct. You have ${count}`)
    }
  }
}

/** What the page shows, with its status. The reason is for the record of the flow. */
function fail(status: 422 | 429, reason: FlowReason, text: string, over?: OverLimit) {
  return { problem: { status, reason, text, over } }
}

function failTooSoon() {
  const text = `We sent a code less than ${resendSeconds} seconds ago. Wait a moment before you request another one`
  const over = { limit: 'passcode_too_soon', waitSeconds: resendSeconds } as const
  return fail(429, 'passcode_too_soon', text, over)
}

function failOver({ limit, waitSeconds }: OverLimit) {
  const tryAgain = `Try again in ${formatWait(waitSeconds)}`
  if (!passcodeBudgets.some((budget) => budget === limit)) {
    return fail(429, 'too_many_attempts', `Too many attempts. ${tryAgain}`, { limit, waitSeconds })
  }
  const text = limit.startsWith('wrong')
    ? `Many wrong codes are being entered at the moment, by others. Your code stays valid. ${tryAgain}`
    : `Many codes are being requested at the moment, by others. ${tryAgain}`
  return fail(429, 'over_budget', text, { limit, waitSeconds })
}

function formatWait(seconds: number): string {
  const minutes = seconds / 60
  if (minutes === 1) return 'a minute'
  return minutes > 1 ? `${Math.ceil(minutes)} minutes` : `${seconds} seconds`
}
