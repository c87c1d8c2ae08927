/**
 * The parameters that the interface has and does not name. These are Holdfast's names for them
 * (docs/decisions/0004-parameter-names.md); a provider may have others, and the tester is told.
 */
export const unnamedParameters = {
  'B3.oldest-time': 'the lower bound of B3',
  'B3.min-amount': 'the least amount of B3',
  'B3.max-amount': 'the largest amount of B3',
  'B3.text': 'the text filter of B3',
  'E3.oldest-date': 'the lower bound of E3',
  'E3.newest-date': 'the upper bound of E3',
} as const

export type UnnamedParameter = keyof typeof unnamedParameters
export type ParameterNames = Partial<Readonly<Record<UnnamedParameter, string>>>

export function isUnnamedParameter(text: string): text is UnnamedParameter {
  return Object.hasOwn(unnamedParameters, text)
}

/** What the provider calls a parameter of an operation. */
export function nameOf(names: ParameterNames, ref: string, parameter: string): string {
  const key = `${ref}.${parameter}`
  return isUnnamedParameter(key) ? (names[key] ?? parameter) : parameter
}

/** What to look at where a filter has no effect and its name is the tester's guess. */
export function nameHint(ref: string, parameter: string): string | undefined {
  const key = `${ref}.${parameter}`
  if (!isUnnamedParameter(key)) return undefined
  return `The interface does not name this parameter. Where yours is not ${parameter}, say --parameter ${key}=NAME.`
}
