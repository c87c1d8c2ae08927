import type { ValidationMode } from '../../provider/upstream/validation-modes.ts'
import type { DatabaseLayout } from '../../storage/database.ts'
import type { ValueType } from './value-types.ts'

/**
 * Every setting. Each is an environment variable and a flag; flags take precedence. All invalid and
 * missing settings are reported together, so that one restart is enough to fix them.
 */
export interface Settings {
  readonly database: string
  readonly databasePasswordFile: string | undefined
  readonly databaseConnections: number
  readonly databaseLayout: DatabaseLayout | undefined
  readonly databasePartitions: number
  readonly databaseReplica: string | undefined
  readonly replicaLagMax: number
  readonly host: string
  readonly port: number
  readonly providerUrl: string
  readonly resourceUrl: string
  readonly subdomain: string
  readonly jwksAllowHttp: boolean
  readonly jwksUrl: string
  readonly accountVersion: 3 | 4
  readonly timeZone: string
  readonly workers: number
  readonly trustedProxies: string | undefined
  readonly tlsCert: string | undefined
  readonly tlsKey: string | undefined
  readonly tlsClientCa: string | undefined
  readonly shutdownTimeout: number
  readonly connectionsPerAddress: number | undefined
  readonly customerRequestsPerMinute: number | undefined
  readonly providerRequestsPerSecond: number | undefined
  readonly publicUrl: string | undefined
  readonly outagesFile: string | undefined
  readonly issuer: string | undefined
  readonly passcodeUrl: string | undefined
  readonly brandName: string
  readonly brandLogo: string | undefined
  readonly brandColour: string
  readonly checkCustomers: string | undefined
  readonly explorer: boolean
  readonly logLevel: string
  readonly metricsPort: number | undefined
  readonly metricsHost: string
  readonly providerMetricsUrl: string | undefined
  readonly intakeMetricsUrl: string | undefined
  readonly upstream: string
  readonly upstreamOperations: string | undefined
  readonly upstreamHeaderFile: string | undefined
  readonly upstreamCa: string | undefined
  readonly upstreamCert: string | undefined
  readonly upstreamKey: string | undefined
  readonly upstreamConnections: number
  readonly upstreamConnectTimeoutMs: number
  readonly upstreamFirstByteTimeoutMs: number
  readonly upstreamTimeoutMs: number
  readonly upstreamResponseBytesMax: number
  readonly validate: ValidationMode
  readonly validateSample: number
}

export type SettingName = keyof Settings

/** What is being run. Defaults and required settings depend on it. */
export const roles = ['provider', 'guard', 'platform', 'intake', 'demo'] as const
export type Role = (typeof roles)[number]

export interface Definition<Value> extends Omit<ValueType<Value>, 'read'> {
  readonly about: string
  /** Parses the text; undefined if it is invalid. `earlier` has the settings that are defined before this one. */
  readonly read: (text: string, earlier: Partial<Settings>) => Value | undefined
  readonly defaults: Partial<Record<Role, string>>
  /** The roles that use it; the default is all. */
  readonly usedBy?: readonly Role[]
  readonly requiredBy?: readonly Role[]
  /** Required if one of these is set. */
  readonly requiredWith?: readonly SettingName[]
  /** A default that depends on the settings that are defined before this one. */
  readonly derived?: {
    readonly about: string
    readonly from: (role: Role, earlier: Partial<Settings>) => Value | undefined
  }
}

export type Definitions = { readonly [Name in SettingName]: Definition<Settings[Name]> }

export function forAllRoles(text: string): Record<Role, string> {
  return { provider: text, guard: text, platform: text, intake: text, demo: text }
}
