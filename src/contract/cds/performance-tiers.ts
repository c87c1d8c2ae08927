/** The performance tiers of the Consumer Data Standards 1.36 (non-functional requirements), with the response time of each in milliseconds. */
export const performanceTiers = {
  unauthenticated: 1500,
  highPriority: 1000,
  lowPriority: 1500,
  unattended: 4000,
  largePayload: 6000,
} as const
export type PerformanceTier = keyof typeof performanceTiers
