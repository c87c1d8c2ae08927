import type { ValueType } from './value-types.ts'

/** What is being run. Defaults and required settings depend on it. */
export const roles = ['provider', 'guard', 'platform', 'intake', 'demo'] as const
export type Role = (typeof roles)[number]

/** The settings that others depend on, which are defined after them. */
export interface EarlierSettings {
  readonly host?: string
  readonly port?: number
  readonly providerUrl?: string
  readonly jwksAllowHttp?: boolean
  readonly issuer?: string
  readonly publicUrl?: string
}

export interface Definition extends Omit<ValueType<unknown>, 'read'> {
  readonly about: string
  /** Parses the text; undefined if it is invalid. */
  readonly read: (text: string, earlier: EarlierSettings) => unknown
  readonly defaults?: Partial<Record<Role, string>>
  /** The roles that use it; the default is all. */
  readonly usedBy?: readonly Role[]
  readonly requiredBy?: readonly Role[]
  /** Required if one of these settings is set. */
  readonly requiredWith?: readonly string[]
  /** A default that depends on other settings. */
  readonly derived?: {
    readonly about: string
    readonly from: (role: Role, earlier: EarlierSettings) => unknown
  }
}

/** The definitions of settings by name. */
export type Definitions = Readonly<Record<string, Definition>>

/** Settings that only these roles use. */
export function usedBy<All extends Definitions>(roles: readonly Role[], definitions: All): All {
  const entries = Object.entries(definitions)
  return Object.fromEntries(entries.map(([name, one]) => [name, { ...one, usedBy: roles }])) as All
}

export function forAllRoles(text: string): Record<Role, string> {
  return { provider: text, guard: text, platform: text, intake: text, demo: text }
}
