import type { AccountReason, AccountState } from '../../../contract/account-states.ts'
import type {
  ConsentFlowState,
  FlowOutcome,
  FlowReason,
  FlowStepName,
} from '../../../contract/consent-flows.ts'
import type { MessageKind, MessageState } from '../../../contract/consent-messages.ts'
import type { ChangeReason, ConsentStatus } from '../../../contract/consent-statuses.ts'
import type { StateLabel } from '../../components/badge.tsx'

export const statuses: Readonly<Record<ConsentStatus, StateLabel>> = {
  active: ['good', 'Active'],
  withdrawn: ['warn', 'Withdrawn'],
  expired: ['neutral', 'Expired'],
}

/** What happened when a consent ended. */
export const endings: Readonly<Record<ChangeReason, string>> = {
  customer: 'The customer withdrew the consent.',
  operator: 'An operator withdrew the consent.',
  third_party: 'The third party ended the sharing.',
  third_party_removed: 'The third party was removed.',
  code_replayed: 'The authorization code was used twice, so the consent was withdrawn.',
  amended: 'The customer agreed to other terms. Another consent replaced this one.',
  sharing_ended: 'The agreed time was over.',
}

export const messageStateLabels: Readonly<Record<MessageState, StateLabel>> = {
  waiting: ['warn', 'Waiting'],
  delivered: ['good', 'Delivered'],
  given_up: ['bad', 'Given up'],
  cancelled: ['neutral', 'Cancelled'],
}

export const messageKindTexts: Readonly<Record<MessageKind, string>> = {
  revocation: 'Message to the third party that the consent ended.',
  receipt_given: 'Receipt to the customer of the consent.',
  receipt_amended: 'Receipt to the customer of the amendment.',
  receipt_ended: 'Receipt to the customer of the end.',
}

export const accountStateLabels: Readonly<Record<AccountState, StateLabel>> = {
  available: ['good', 'Available'],
  closed: ['neutral', 'Closed'],
  restricted: ['warn', 'Restricted'],
  no_longer_held: ['bad', 'No longer held'],
  removed: ['neutral', 'Removed'],
}

export const accountReasonTexts: Readonly<Record<AccountReason, string>> = {
  chosen: 'The customer chose it.',
  open: 'The provider lists it as open.',
  served: 'The provider lists it, or returned data of it.',
  closed: 'The provider lists it as closed.',
  account_refused: 'The provider refuses to share it.',
  customer_refused: 'The provider refuses to share all data of the customer.',
  account_unknown: 'The provider does not know it for the customer.',
  customer_unknown: 'The provider does not know the customer.',
  amended: 'The customer left it out of an amendment.',
}

export const flowStateLabels: Readonly<Record<ConsentFlowState, StateLabel>> = {
  in_progress: ['neutral', 'In progress'],
  completed: ['good', 'Completed'],
  cancelled: ['warn', 'Cancelled'],
  failed: ['bad', 'Failed'],
  abandoned: ['warn', 'Abandoned'],
}

export const stepLabels: Readonly<Record<FlowStepName, string>> = {
  request: 'Authorization request',
  page: 'Page of the flow',
  identify: 'E-mail address',
  passcode: 'Passcode',
  accounts: 'Choice of accounts',
  confirm: 'Agreement',
  redirect: 'Return to the third party',
  token: 'Exchange of the code',
  consents: 'Page with consents',
}

export const outcomeLabels: Readonly<Record<FlowOutcome, StateLabel>> = {
  succeeded: ['good', 'Succeeded'],
  failed: ['bad', 'Failed'],
  cancelled: ['warn', 'Cancelled'],
}

/** What happened, and what to look at. */
export const reasons: Readonly<Record<FlowReason, readonly [string, string]>> = {
  invalid_request: [
    'The third party sent an invalid authorization request.',
    'The error below was sent to the third party. Compare its registration: holdfast client list.',
  ],
  client_not_authenticated: [
    'The third party could not be authenticated.',
    'Compare its keys and the audience of its assertion with its registration: holdfast client list.',
  ],
  page_expired: [
    'A page was opened too late, in another browser or without cookies.',
    'The customer has 20 minutes, in one browser that accepts cookies, and starts again at the third party.',
  ],
  form_rejected: [
    'A form came from another site, or without the cookie.',
    'If it happens often, check that the proxy passes cookies and the header Origin.',
  ],
  invalid_email: ['The text is not an e-mail address.', 'The customer can correct it.'],
  no_passcode_sent: [
    'No passcode was sent.',
    'Check the customer at the provider: the e-mail address may be unknown or belong to more than four customers, the phone number may be missing, or the limit of passcodes was reached.',
  ],
  passcode_too_soon: [
    'Another passcode was requested within 30 seconds.',
    'The customer can wait and request it again.',
  ],
  too_many_attempts: [
    'A limit of passcodes or tries was reached.',
    'The limit ends after some minutes. If many customers are affected, check HOLDFAST_TRUSTED_PROXIES: all of them may seem to have one address.',
  ],
  over_budget: [
    'A budget of passcodes that all customers share was used up.',
    'The customer can go on after the time on the page. If it lasts, someone may be guessing passcodes of many customers: see the metric holdfast_passcode_budget_exceeded_total.',
  ],
  malformed_passcode: [
    'The text does not have the digits of a passcode.',
    'The customer can correct it.',
  ],
  wrong_passcode: ['The passcode is not correct.', 'The customer has three tries for each code.'],
  passcode_unusable: [
    'The passcode has expired, was used or has no try left.',
    'The customer can request a new one. If codes arrive late, check the service at HOLDFAST_PASSCODE_URL.',
  ],
  request_used: [
    'A customer signed in with the same request in another browser.',
    'Nothing to do if the customer opened the link twice. Otherwise, a stranger knew the link.',
  ],
  other_customer: [
    'The consent to amend belongs to another customer, or has ended.',
    'The third party named a consent that this customer does not have.',
  ],
  no_account_selected: ['No account was selected.', 'The customer can select one.'],
  no_shareable_account: [
    'The customer has no account that can be shared.',
    'The customer returned to the third party.',
  ],
  account_not_offered: [
    'An account was selected that can no longer be shared.',
    'The accounts changed at the provider while the page was open.',
  ],
  consent_ended: [
    'The consent was withdrawn before the customer returned to the third party.',
    'The customer can agree again.',
  ],
  third_party_removed: [
    'The third party was removed.',
    'If this was not intended, register it again: holdfast client add.',
  ],
  provider_unreachable: [
    'The data provider did not answer, or not as the interface requires.',
    'Check that the provider runs, and its log at the time of the step.',
  ],
  sharing_refused: [
    'The data provider refuses to share data of the customer.',
    'If this was not intended, look for a restriction of the customer at the provider. Its log states the circumstance.',
  ],
  cancelled_by_customer: ['The customer chose to cancel.', 'Nothing was shared.'],
  token_rejected: [
    'The third party could not exchange the code.',
    'The error below was sent to the third party, which has to correct its request.',
  ],
  server_error: [
    'An error of the platform.',
    'Look for “consent failed” in the log of the platform at the time of the step.',
  ],
}
