/** What happens with responses of the upstream that do not conform to the contract. */
export const validationModes = ['off', 'report', 'enforce'] as const
export type ValidationMode = (typeof validationModes)[number]

export const validationOutcomes = ['valid', 'invalid', 'too large'] as const
export type ValidationOutcome = (typeof validationOutcomes)[number]
