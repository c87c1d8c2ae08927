import { unnamedParameters } from './defaults.ts'

type UnnamedParameter = keyof typeof unnamedParameters
export type ParameterNames = Partial<Readonly<Record<UnnamedParameter, string>>>

function isUnnamedParameter(text: string): text is UnnamedParameter {
  return Object.hasOwn(unnamedParameters, text)
}

/** The provider's name of a parameter. */
export function resolveName(names: ParameterNames, ref: string, parameter: string): string {
  const key = `${ref}.${parameter}`
  return isUnnamedParameter(key) ? (names[key] ?? parameter) : parameter
}

/** For a filter without effect, if the provider may use another name for it. */
export function hintForParameter(ref: string, parameter: string): string | undefined {
  const key = `${ref}.${parameter}`
  if (!isUnnamedParameter(key)) return undefined
  return `The interface does not name this parameter. If your name for it is not ${parameter}, pass --parameter ${key}=NAME.`
}
