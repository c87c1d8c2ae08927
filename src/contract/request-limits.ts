import { trafficLimits } from './traffic-limits.ts'

/** The limits of passcodes whose excess a customer is shown. Each is described by what it counts. */
const passcodeLimits = {
  passcode_too_soon: 'passcodes of one browser',
  passcodes_by_email: 'passcodes for an e-mail address',
  passcodes_by_address: 'passcodes requested from a network address',
  passcodes_of_third_party: 'passcodes in the flows of a third party',
  passcodes_in_total: 'passcodes of all customers',
  tries_by_address: 'tries from a network address',
  tries_by_customer: 'tries of a customer',
  wrong_passcodes_of_third_party: 'wrong passcodes in the flows of a third party',
  wrong_passcodes_in_total: 'wrong passcodes of all customers',
} as const
export type PasscodeLimit = keyof typeof passcodeLimits

/** Every limit beyond which a request gets a 429, by its name in logs and metrics, with what it counts. */
export const requestLimits = {
  ...trafficLimits,
  ...passcodeLimits,
  customer_per_minute: 'requests for one customer (HOLDFAST_CUSTOMER_REQUESTS_PER_MINUTE)',
  requests_per_second: 'requests in total (HOLDFAST_PROVIDER_REQUESTS_PER_SECOND)',
  wrong_secrets_of_client: 'wrong secrets for the ID of an API client',
  wrong_secrets_by_address: 'wrong secrets of API clients from a network address',
  metric_streams: 'open streams of metrics',
  upstream: 'a limit of the upstream of a guard',
} as const satisfies Record<string, string>
export type RequestLimit = keyof typeof requestLimits

/** The events of passcodes that are counted. */
export const passcodeEvents = ['sent', 'correct', 'wrong'] as const
export type PasscodeEvent = (typeof passcodeEvents)[number]

/** The limits that all customers share. */
export const passcodeBudgets = [
  'passcodes_of_third_party',
  'passcodes_in_total',
  'wrong_passcodes_of_third_party',
  'wrong_passcodes_in_total',
] as const satisfies readonly PasscodeLimit[]
export type PasscodeBudget = (typeof passcodeBudgets)[number]
