/** What happens with responses of the upstream that do not conform to the contract. */
export const checkModes = ['off', 'report', 'enforce'] as const
export type CheckMode = (typeof checkModes)[number]

export const checkOutcomes = ['valid', 'invalid', 'too large'] as const
export type CheckOutcome = (typeof checkOutcomes)[number]
