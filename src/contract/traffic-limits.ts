/** The thresholds that the Consumer Data Standards 1.36 publish for requests with a token (non-functional requirements). */
export const customerPerSecond = 10
export const thirdPartyPerSecond = 50
export const sessionPerSecond = 5
export const sessionCalls = 100
export const sessionsPerDay = 20

/** In total, by the number of active consents: one step for each full `authorisationsPerStep`, up to the last. */
export const totalPerSecond = { first: 150, step: 50, last: 450 } as const
export const authorisationsPerStep = 10_000

/** The named sets of limits that an operator can choose. */
export const thirdPartyLimits = ['cds'] as const
export type ThirdPartyLimits = (typeof thirdPartyLimits)[number]

const unattended = 'without x-fapi-customer-ip-address'

/** Each limit of third parties by its name in logs and metrics, and how its errors describe it. */
export const trafficLimits = {
  customer_per_second: `${customerPerSecond} requests per second for a customer`,
  third_party_per_second: `${thirdPartyPerSecond} requests per second of a third party`,
  session_per_second: `${sessionPerSecond} requests per second with one access token ${unattended}`,
  session_calls: `${sessionCalls} requests with one access token ${unattended}`,
  sessions_per_day: `${sessionsPerDay} access tokens per day for a customer ${unattended}`,
  total_per_second: 'the requests per second of all third parties',
  provider: 'the traffic thresholds of the data provider',
} as const
export type TrafficLimit = keyof typeof trafficLimits
