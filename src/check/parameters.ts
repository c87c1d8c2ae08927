import { unnamedParameters } from './defaults.ts'

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
