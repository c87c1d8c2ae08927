/** The reasons for which a provider refuses to share an account or the data of a customer. */
export const restrictionReasons = ['harm', 'blocked', 'suspended'] as const
export type RestrictionReason = (typeof restrictionReasons)[number]

/**
 * The circumstances of a refusal, as they are recorded. A refusal is defined by its circumstance, not by its status:
 * other responses with 403, 404, 422 or 429 are not refusals.
 */
export const refusalCircumstances = [...restrictionReasons, 'attack', 'traffic_threshold'] as const
export type RefusalCircumstance = (typeof refusalCircumstances)[number]

/** What logs and reports state as the reason of a refusal. */
export function describeRefusal(circumstance: RefusalCircumstance): string {
  return `refused to share: ${circumstance}`
}

/** The header of a response that refuses to share. Its value is `true`; without a refusal it is absent. */
export const refusalHeader = 'x-sharing-refused' as const

/** Of the responses that may have the header. */
export const refusalStatuses: readonly number[] = [403, 404, 422, 429]
