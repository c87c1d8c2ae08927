import { readTrustedProxies } from '../../http/caller-address.ts'
import { databaseLayouts } from '../../storage/database.ts'
import { consentDefinitions } from './consent-settings.ts'
import { consoleDefinitions } from './console-settings.ts'
import { type Definition, type Definitions, forAllRoles, type Role, usedBy } from './definition.ts'
import { upstreamDefinitions } from './upstream-settings.ts'
import { isDatabaseUrl, isProtected, isTimeZone, isWebUrl, quoteValue } from './value-rules.ts'
import { baseUrl, flag, hostName, oneOf, path, wholeNumber } from './value-types.ts'

export { type Role, roles } from './definition.ts'

const provider: readonly Role[] = ['provider', 'guard', 'demo']
const providerAndPlatform: readonly Role[] = [...provider, 'platform']
const platform: readonly Role[] = ['platform']
const servers: readonly Role[] = ['provider', 'guard', 'platform', 'intake']
const providers: readonly Role[] = ['provider', 'guard']

const portMax = 65_535
const workersMax = 256
const shutdownSecondsMax = 3600
const connectionsMax = 1000
const partitionsMax = 1024
const lagSecondsMax = 86_400
const requestsMax = 1_000_000
const checkCustomersMax = 10
const recordYearsMax = 100
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/**
 * Every setting. Each is an environment variable and a flag; flags take precedence. All invalid and
 * missing settings are reported together, so that one restart is enough to fix them.
 */
const definitions = {
  database: {
    about: 'where the data is stored',
    placeholder: 'url',
    mustBe: 'sqlite:FILE or postgres://USER@HOST/NAME',
    read: (text) => (/^sqlite:.+/.test(text) || isDatabaseUrl(text) ? text : undefined),
    defaults: forAllRoles('sqlite:.holdfast/holdfast.db'),
  },
  databasePasswordFile: {
    about: 'a file with the password of the PostgreSQL user, instead of a password in the URL',
    ...path('the path of a file'),
  },
  databaseConnections: {
    about:
      'the maximum number of PostgreSQL connections that each process of a provider uses for reads, and of each pool of a platform or an intake',
    ...wholeNumber(1, connectionsMax),
    defaults: forAllRoles('10'),
  },
  databaseLayout: {
    about:
      'how a new PostgreSQL database stores histories: in partitions on one server (by default), or on the data nodes (workers) of a Citus cluster; it cannot be changed later',
    ...oneOf('layout', databaseLayouts),
  },
  databasePartitions: {
    about:
      'the number of partitions or shards of the history tables in a new PostgreSQL database; it cannot be changed later',
    ...wholeNumber(1, partitionsMax),
    defaults: forAllRoles('16'),
  },
  databaseReplica: {
    about: 'a PostgreSQL read replica',
    placeholder: 'url',
    mustBe: 'postgres://USER@HOST/NAME',
    read: (text) => (isDatabaseUrl(text) ? text : undefined),
  },
  replicaLagMax: {
    about:
      'the maximum replication lag in seconds; while the replica lags more, reads use the primary',
    ...wholeNumber(1, lagSecondsMax),
    defaults: forAllRoles('5'),
  },
  host: {
    about: 'the host to listen on',
    ...hostName,
    defaults: forAllRoles('127.0.0.1'),
  },
  port: {
    about: 'the port to listen on; 0 selects a free port',
    ...wholeNumber(0, portMax),
    defaults: { ...forAllRoles('8080'), platform: '8081', intake: '8082' },
  },
  providerUrl: {
    about:
      'the public base URL of the provider; the audience of every token must start with it. A platform asks this provider during consent, and calls it for the explorer',
    ...baseUrl,
    usedBy: providerAndPlatform,
    requiredBy: providers,
    requiredWith: ['issuer', 'explorer'],
    derived: {
      about: 'the URL that it listens on (demo)',
      from: (role, { host, port }) => (role === 'demo' ? `http://${host}:${port}` : undefined),
    },
  },
  resourceUrl: {
    about: 'the base URL of the contact endpoint',
    ...baseUrl,
    usedBy: providerAndPlatform,
    derived: { about: 'the provider URL', from: (_role, { providerUrl }) => providerUrl },
  },
  subdomain: {
    about: 'the data provider’s subdomain; iss and sub of every token must equal it',
    placeholder: 'name',
    mustBe: '1 to 256 characters without whitespace',
    read: (text) => (/^\S{1,256}$/.test(text) ? text : undefined),
    usedBy: providerAndPlatform,
    defaults: { demo: 'demo' },
    requiredBy: providers,
    requiredWith: ['issuer', 'explorer'],
  },
  jwksAllowHttp: {
    about:
      'whether the platform’s keys may be fetched over http from another host; an attacker who can change them in transit can sign tokens',
    ...flag,
    usedBy: provider,
    defaults: forAllRoles('false'),
  },
  jwksUrl: {
    about: 'the URL of the platform’s JSON Web Key Set',
    placeholder: 'url',
    mustBe:
      'an https URL, or an http URL of this host; HOLDFAST_JWKS_ALLOW_HTTP=true allows any http URL',
    read: (text, { jwksAllowHttp }) =>
      isWebUrl(text) && (jwksAllowHttp || isProtected(text)) ? text : undefined,
    usedBy: provider,
    requiredBy: providers,
    derived: {
      about: 'that of the demo platform, one port higher (demo)',
      from: (role, { host, port = 0 }) =>
        role === 'demo' ? `http://${host}:${port + 1}/.well-known/jwks.json` : undefined,
    },
  },
  accountVersion: {
    about: 'the version of the banking account schema to serve',
    placeholder: 'version',
    mustBe: '3 or 4',
    read: (text) => (text === '3' ? 3 : text === '4' ? 4 : undefined),
    usedBy: provider,
    defaults: forAllRoles('4'),
  },
  timeZone: {
    about:
      'the time zone of times without a UTC offset, and of the pages of consents, which name it',
    placeholder: 'zone',
    mustBe: 'a time zone such as UTC or Australia/Sydney',
    read: (text) => (isTimeZone(text) ? text : undefined),
    usedBy: providerAndPlatform,
    defaults: forAllRoles('UTC'),
  },
  workers: {
    about:
      'the number of worker processes that share the port; the intake always runs in one process',
    ...wholeNumber(1, workersMax),
    usedBy: [...providers, 'platform'],
    defaults: forAllRoles('1'),
  },
  trustedProxies: {
    about:
      'the reverse proxies whose X-Forwarded-For or Forwarded header is trusted for the client address in limits per address',
    placeholder: 'addresses',
    mustBe: 'IP addresses or CIDR ranges, separated by commas',
    read: (text) => (readTrustedProxies(text) ? text : undefined),
  },
  tlsCert: {
    about:
      'a file with the TLS certificate of the server, followed by its intermediate certificates',
    ...path('the path of a PEM file'),
    usedBy: servers,
    requiredWith: ['tlsKey', 'tlsClientCa'],
  },
  tlsKey: {
    about: 'a file with the private key of the TLS certificate',
    ...path('the path of a PEM file'),
    usedBy: servers,
    requiredWith: ['tlsCert', 'tlsClientCa'],
  },
  tlsClientCa: {
    about:
      'a file with the CA certificates that clients are verified against; requires every client to have a certificate',
    ...path('the path of a PEM file'),
    usedBy: servers,
  },
  shutdownTimeout: {
    about: 'how many seconds in-flight requests may take to complete during shutdown',
    ...wholeNumber(1, shutdownSecondsMax),
    // Docker kills a container that has not stopped after ten seconds.
    defaults: forAllRoles('8'),
  },
  connectionsPerAddress: {
    about:
      'the maximum number of concurrent connections per client address; leave it unset behind a proxy, which opens all connections',
    ...wholeNumber(1, requestsMax),
  },
  customerRequestsPerMinute: {
    about: 'the maximum number of requests per minute for one customer; further requests get a 429',
    ...wholeNumber(1, requestsMax),
    usedBy: provider,
  },
  providerRequestsPerSecond: {
    about: 'the maximum number of requests per second in total; further requests get a 429',
    ...wholeNumber(1, requestsMax),
    usedBy: provider,
  },
  ...upstreamDefinitions,
  records: {
    about:
      'whether each answer to a request with a valid token is recorded in the database, with the use of the token, before it is sent. A platform always records what third parties get',
    ...flag,
    usedBy: providers,
    defaults: { provider: 'false', guard: 'false' },
  },
  recordYears: {
    about: 'how many years the records of what was disclosed, and of what was refused, are kept',
    ...wholeNumber(1, recordYearsMax),
    usedBy: [...providers, 'platform'],
    defaults: { provider: '6', guard: '6', platform: '6', demo: '6' },
  },
  ...usedBy(platform, {
    publicUrl: {
      about:
        'the public URL of the platform, which the links of the public endpoints begin with, and which people come back to after a sign-in; by default that of the issuer, or the address that the platform listens on',
      placeholder: 'url',
      mustBe: 'an http or https URL without credentials, path and query',
      read: (text) =>
        isWebUrl(text) && /^https?:\/\/[^/?#@]+\/?$/i.test(text) ? new URL(text).origin : undefined,
      requiredWith: ['consoleIssuer'],
    },
    outagesFile: {
      about:
        'a JSON file with the planned outages that the platform announces publicly; SIGHUP reloads it',
      ...path('the path of a JSON file'),
    },
    ...consentDefinitions,
    ...consoleDefinitions,
    checkCustomers: {
      about:
        'the customers that the platform uses to check the provider: two test customers, so that the checks can compare them',
      placeholder: 'customers',
      mustBe: `1 to ${checkCustomersMax} customer ids or e-mail addresses, separated by commas`,
      read: (text) => (isCustomerList(text) ? text : undefined),
    },
    explorer: {
      about:
        'whether API clients with the scope data.read may call the provider with tokens that the platform signs; for demos and sandboxes, because it reads data without consent',
      ...flag,
      defaults: { platform: 'false', demo: 'true' },
    },
  }),
  logLevel: {
    about: 'the lowest level that is logged',
    ...oneOf('level', logLevels),
    // The demo runs in a terminal, where a line per request would hide its instructions.
    defaults: { ...forAllRoles('info'), demo: 'warn' },
  },
  metricsPort: {
    about: 'the port to serve Prometheus metrics on; metrics are off without it',
    ...wholeNumber(0, portMax),
  },
  metricsHost: {
    about: 'the host to serve metrics on, without authentication',
    ...hostName,
    defaults: forAllRoles('127.0.0.1'),
  },
  ...usedBy(platform, {
    intakeUrl: {
      about: 'the base URL of the intake, whose health the console of the platform shows',
      ...baseUrl,
    },
    providerMetricsUrl: {
      about: 'the URL of the provider’s metrics, which the console of the platform shows',
      ...baseUrl,
    },
    intakeMetricsUrl: {
      about: 'the URL of the intake’s metrics, which the console of the platform shows',
      ...baseUrl,
    },
  }),
} satisfies Definitions

export type SettingName = keyof typeof definitions

/** A setting without a default, which is not required either, may be undefined. */
type SettingValue<One extends Definition> =
  | NonNullable<ReturnType<One['read']>>
  | (One extends { defaults: object } | { derived: object } | { requiredBy: object }
      ? never
      : undefined)

export type Settings = {
  readonly [Name in SettingName]: SettingValue<(typeof definitions)[Name]>
}

export const settingDefinitions: {
  readonly [Name in SettingName]: Definition & (typeof definitions)[Name]
} = definitions

export const settingNames = Object.keys(settingDefinitions) as SettingName[]

/** The settings that have an effect on a role. */
export function listSettings(role: Role): SettingName[] {
  return settingNames.filter((name) => isUsedBy(role, name))
}

function isCustomerList(text: string): boolean {
  const names = text.split(',')
  return names.length <= checkCustomersMax && names.every((name) => /^[^\p{C}]{1,320}$/u.test(name))
}

function isUsedBy(role: Role, name: SettingName): boolean {
  return settingDefinitions[name].usedBy?.includes(role) ?? true
}

/** `providerUrl` is `HOLDFAST_PROVIDER_URL` in the environment and `--provider-url` as a flag. */
export function variableName(name: SettingName): string {
  return `HOLDFAST_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`
}

export function flagName(name: SettingName): string {
  return `--${name.replaceAll(/[A-Z]/g, '-$&').toLowerCase()}`
}

/** The value that applies, and where it came from. */
export interface EffectiveSetting {
  readonly value?: Settings[SettingName]
  readonly source: 'flag' | 'environment' | 'default' | 'not set'
}

export interface SettingsResult {
  readonly effective: Readonly<Record<SettingName, EffectiveSetting>>
  /** One sentence per invalid setting. It quotes the value unless that may contain a password. */
  readonly invalid: readonly string[]
  /** One sentence per setting that the role requires and that is not set. */
  readonly missing: readonly string[]
  /** Environment variables that are named like a setting but are not one. */
  readonly unknown: readonly string[]
}

export function readSettings(
  role: Role,
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Partial<Record<SettingName, string>>>,
): SettingsResult {
  const invalid: string[] = []
  const missing: string[] = []
  const effective = {} as Record<SettingName, EffectiveSetting>

  for (const name of settingNames) {
    const { about, mustBe, placeholder, read, defaults, requiredBy, derived } =
      settingDefinitions[name]
    const variable = variableName(name)
    const candidates = [
      { source: 'flag', label: flagName(name), text: flags[name] },
      { source: 'environment', label: variable, text: environment[variable] },
      { source: 'default', label: 'the default', text: defaults?.[role] },
    ] as const
    // An empty variable counts as unset; an empty flag is an error.
    const chosen = candidates.find(({ source, text }) =>
      source === 'flag' ? text !== undefined : text,
    )
    const earlier = Object.fromEntries(
      Object.entries(effective).map(([other, setting]) => [other, setting.value]),
    )
    const given = chosen?.text === undefined ? undefined : read(chosen.text, earlier)
    const value = (given ?? derived?.from(role, earlier)) as EffectiveSetting['value']

    if (chosen && given === undefined) {
      invalid.push(`${chosen.label} must be ${mustBe}${quoteValue(placeholder, chosen.text)}`)
    }
    if (!chosen && requiredBy?.includes(role)) {
      missing.push(`${variable} (${flagName(name)}) is required: ${about}`)
    }
    effective[name] =
      value === undefined
        ? { source: 'not set' }
        : { value, source: chosen && given !== undefined ? chosen.source : 'default' }
  }

  for (const name of settingNames) {
    const { about, requiredWith } = settingDefinitions[name]
    const dependent = (requiredWith as readonly SettingName[] | undefined)?.find(
      (other) => effective[other].value && isUsedBy(role, other) && isUsedBy(role, name),
    )
    if (effective[name].value !== undefined || !dependent) continue
    invalid.push(
      `${variableName(name)} (${flagName(name)}) is required with ${variableName(dependent)}: ${about}`,
    )
  }

  const variables = new Set(settingNames.map(variableName))
  const unknown = Object.keys(environment)
    .filter((variable) => variable.startsWith('HOLDFAST_') && !variables.has(variable))
    .sort()
  return { effective, invalid, missing, unknown }
}
