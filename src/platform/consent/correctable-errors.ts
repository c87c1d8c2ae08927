import type { FlowReason } from '../../contract/consent-flows.ts'

const correctable: readonly FlowReason[] = [
  'invalid_email',
  'malformed_passcode',
  'wrong_passcode',
  'no_account_selected',
]

/** Whether the browser can see that the customer has corrected the error. The page then hides it. */
export function isCorrectable(reason: FlowReason): boolean {
  return correctable.includes(reason)
}
