/** How long a customer may take for a consent flow. */
export const flowSeconds = 20 * 60

/** How long a flow is listed, to find out why it failed. */
export const flowDays = 7

/** How long it is kept: the statistics have the seven days before the present one, of any time zone. */
export const flowRetentionDays = flowDays + 2

/** How many steps of a flow are kept. Further ones are not recorded. */
export const flowStepsMax = 40

export const flowStates = ['in_progress', 'completed', 'cancelled', 'failed', 'abandoned'] as const
export type ConsentFlowState = (typeof flowStates)[number]

/** The steps of a flow, and what each is. */
export const flowStepDescriptions = {
  request: 'the authorization request of the third party',
  page: 'a page of the flow',
  identify: 'the e-mail address, to which a passcode is sent',
  passcode: 'the passcode',
  accounts: 'the choice of accounts',
  confirm: 'the agreement',
  redirect: 'the return to the third party with an authorization code',
  token: 'the exchange of the code for tokens',
  consents: 'the page with the consents of a customer who signed in to it',
} as const
export type FlowStepName = keyof typeof flowStepDescriptions
export const flowStepNames = Object.keys(flowStepDescriptions) as readonly FlowStepName[]

/** How far a customer came who did not give a consent: before which step of the flow it ended. */
export const flowStages = [
  'preIdentification',
  'preAuthentication',
  'preAccountSelection',
  'preAuthorisation',
  'failedTokenExchange',
] as const
export type FlowStage = (typeof flowStages)[number]

/** The number of stages that a flow has passed when a step succeeded. After the last, the third party has tokens. */
const stagesPassed: Readonly<Partial<Record<FlowStepName, number>>> = {
  identify: 1,
  passcode: 2,
  accounts: 3,
  confirm: 4,
  redirect: 4,
  token: flowStages.length,
}

export function countStages(step: FlowStepName, outcome: FlowOutcome): number {
  return outcome === 'succeeded' ? (stagesPassed[step] ?? 0) : 0
}

export const flowOutcomes = ['succeeded', 'failed', 'cancelled'] as const
export type FlowOutcome = (typeof flowOutcomes)[number]

/** Why a step failed, and what that means. */
export const flowReasonDescriptions = {
  invalid_request: 'the third party sent an invalid authorization request',
  client_not_authenticated: 'the third party could not be authenticated',
  page_expired: 'a page was opened too late, in another browser or without cookies',
  form_rejected: 'a form came from another site, or without the cookie',
  invalid_email: 'the text is not an e-mail address',
  no_passcode_sent:
    'the address is unknown or belongs to more than four customers, the customer has no phone number, or a limit of passcodes was reached',
  passcode_too_soon: 'another passcode was requested within 30 seconds',
  too_many_attempts: 'a limit of passcodes or tries was reached',
  over_budget: 'a budget of passcodes that all customers share was used up',
  malformed_passcode: 'the text does not have the digits of a passcode',
  wrong_passcode: 'the passcode is not correct',
  passcode_unusable: 'the passcode has expired, was used or has no try left',
  request_used: 'a customer signed in with the same request in another browser',
  other_customer: 'the consent to amend belongs to another customer, or has ended',
  no_account_selected: 'no account was selected',
  no_shareable_account: 'the customer has no account that can be shared',
  account_not_offered: 'an account was selected that can no longer be shared',
  consent_ended: 'the consent was withdrawn before the customer returned to the third party',
  third_party_removed: 'the third party was removed',
  provider_unreachable: 'the data provider did not answer, or not as the interface requires',
  sharing_refused: 'the data provider refuses to share data of the customer',
  cancelled_by_customer: 'the customer chose to cancel',
  token_rejected: 'the third party could not exchange the code',
  server_error: 'an error of the platform, which its log describes',
} as const
export type FlowReason = keyof typeof flowReasonDescriptions
export const flowReasons = Object.keys(flowReasonDescriptions) as readonly FlowReason[]
