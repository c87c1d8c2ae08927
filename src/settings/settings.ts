import { readTrustedProxies } from '../http/caller-address.ts'
import { isLoopback } from './loopback.ts'

/**
 * Every setting there is. Each is an environment variable and a flag, and flags win. Wrong and missing
 * ones are all reported at once, so that one restart is enough to mend them.
 */
export interface Settings {
  readonly database: string
  readonly databasePasswordFile: string | undefined
  readonly databaseConnections: number
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
  readonly logLevel: string
  readonly metricsPort: number | undefined
  readonly metricsHost: string
}

export type SettingName = keyof Settings

/** What is being run. Some defaults and what is required depend on it. */
export const roles = ['provider', 'platform', 'demo'] as const
export type Role = (typeof roles)[number]

interface Definition<Value> {
  readonly about: string
  /** Completes "HOLDFAST_PORT must be …". */
  readonly mustBe: string
  /** The value that a text stands for, or undefined where it stands for none, given the settings above it. */
  readonly read: (text: string, above: Partial<Settings>) => Value | undefined
  readonly defaults: Partial<Record<Role, string>>
  readonly requiredBy?: readonly Role[]
  /** Nothing can be done with these where it is missing. */
  readonly requiredBeside?: readonly SettingName[]
  /** The value where nobody gave one, from the settings above it. */
  readonly derived?: {
    readonly about: string
    readonly from: (role: Role, above: Partial<Settings>) => Value | undefined
  }
}

const portMax = 65_535
const workersMax = 256
const shutdownSecondsMax = 3600
const connectionsMax = 1000
const partitionsMax = 1024
const lagSecondsMax = 86_400
const requestsMax = 1_000_000
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

type Kind<Value> = Pick<Definition<Value>, 'mustBe' | 'read'>

const hostName: Kind<string> = {
  mustBe: 'a host name or IP address',
  read: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
}

const baseAddress: Kind<string> = {
  mustBe: 'an http or https address without a query',
  read: (text) =>
    isWebAddress(text) && !/[?#@]/.test(text) ? text.replace(/\/+$/, '') : undefined,
}

function wholeNumber(least: number, most: number): Kind<number> {
  return {
    mustBe: `a whole number from ${least} to ${most}`,
    read(text) {
      const value = Number(text)
      return /^\d{1,9}$/.test(text) && value >= least && value <= most ? value : undefined
    },
  }
}

function path(mustBe: string): Kind<string> {
  return { mustBe, read: (text) => text || undefined }
}

export const definitions: { readonly [Name in SettingName]: Definition<Settings[Name]> } = {
  database: {
    about: 'where the data is kept',
    mustBe: 'sqlite:FILE or postgres://USER@HOST/NAME',
    read: (text) => (/^sqlite:.+/.test(text) || isDatabaseUrl(text) ? text : undefined),
    defaults: everywhere('sqlite:.holdfast/holdfast.db'),
  },
  databasePasswordFile: {
    about: 'a file with the password of the PostgreSQL user, instead of in the address',
    ...path('the path of a file'),
    defaults: {},
  },
  databaseConnections: {
    about: 'the most connections to PostgreSQL that a process has for reading',
    ...wholeNumber(1, connectionsMax),
    defaults: everywhere('10'),
  },
  databasePartitions: {
    about: 'into how many tables a new PostgreSQL database divides the histories, for good',
    ...wholeNumber(1, partitionsMax),
    defaults: everywhere('16'),
  },
  databaseReplica: {
    about: 'a replica of the PostgreSQL database, to read from',
    mustBe: 'postgres://USER@HOST/NAME',
    read: (text) => (isDatabaseUrl(text) ? text : undefined),
    defaults: {},
  },
  replicaLagMax: {
    about:
      'how many seconds the replica may be behind; while it is more, the database itself is read',
    ...wholeNumber(1, lagSecondsMax),
    defaults: everywhere('5'),
  },
  host: {
    about: 'the address to listen on',
    ...hostName,
    defaults: everywhere('127.0.0.1'),
  },
  port: {
    about: 'the port to listen on',
    ...wholeNumber(0, portMax),
    defaults: { provider: '8080', platform: '8081', demo: '8080' },
  },
  providerUrl: {
    about: 'the public base address, which every token’s audience begins with',
    ...baseAddress,
    defaults: {},
    requiredBy: ['provider'],
    derived: {
      about: 'the address it listens on (demo)',
      from: (role, { host, port }) => (role === 'demo' ? `http://${host}:${port}` : undefined),
    },
  },
  resourceUrl: {
    about: 'the base address of the contact endpoint',
    ...baseAddress,
    defaults: {},
    derived: { about: 'the provider URL', from: (_role, { providerUrl }) => providerUrl },
  },
  subdomain: {
    about: 'the data provider’s subdomain, which a token’s iss and sub must be',
    mustBe: '1 to 256 characters without blanks',
    read: (text) => (/^\S{1,256}$/.test(text) ? text : undefined),
    defaults: { demo: 'demo' },
    requiredBy: ['provider'],
  },
  jwksAllowHttp: {
    about:
      'whether keys may come over plain http from another machine: a party that can change them in transit can sign tokens',
    mustBe: 'true or false',
    read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
    defaults: everywhere('false'),
  },
  jwksUrl: {
    about: 'where the platform publishes its keys',
    mustBe:
      'an https address, or an http address of this machine; HOLDFAST_JWKS_ALLOW_HTTP=true allows any http address',
    read: (text, { jwksAllowHttp }) =>
      isWebAddress(text) && (jwksAllowHttp || isProtected(text)) ? text : undefined,
    defaults: {},
    requiredBy: ['provider'],
    derived: {
      about: 'its own platform’s, one port above (demo)',
      from: (role, { host, port = 0 }) =>
        role === 'demo' ? `http://${host}:${port + 1}/.well-known/jwks.json` : undefined,
    },
  },
  accountVersion: {
    about: 'the version of the banking account to serve',
    mustBe: '3 or 4',
    read: (text) => (text === '3' ? 3 : text === '4' ? 4 : undefined),
    defaults: everywhere('4'),
  },
  timeZone: {
    about: 'the zone of times that carry none',
    mustBe: 'a time zone such as UTC or Australia/Sydney',
    read: (text) => (isTimeZone(text) ? text : undefined),
    defaults: everywhere('UTC'),
  },
  workers: {
    about: 'how many processes share the port',
    ...wholeNumber(1, workersMax),
    defaults: everywhere('1'),
  },
  trustedProxies: {
    about:
      'the reverse proxies whose X-Forwarded-For or Forwarded header names the caller, for limits per address',
    mustBe: 'IP addresses or CIDR ranges, separated by commas',
    read: (text) => (readTrustedProxies(text) ? text : undefined),
    defaults: {},
  },
  tlsCert: {
    about:
      'a file with the certificate to serve https with, and those between it and its authority',
    ...path('the path of a PEM file'),
    defaults: {},
    requiredBeside: ['tlsKey', 'tlsClientCa'],
  },
  tlsKey: {
    about: 'a file with the private key of the certificate',
    ...path('the path of a PEM file'),
    defaults: {},
    requiredBeside: ['tlsCert', 'tlsClientCa'],
  },
  tlsClientCa: {
    about: 'a file with the authorities of which a caller must have a certificate',
    ...path('the path of a PEM file'),
    defaults: {},
  },
  shutdownTimeout: {
    about: 'how many seconds requests under way may still take once the server is told to stop',
    ...wholeNumber(1, shutdownSecondsMax),
    // Docker kills what has not stopped after ten seconds.
    defaults: everywhere('8'),
  },
  connectionsPerAddress: {
    about:
      'how many connections one address may have at once; to be left out behind a proxy, which has them all',
    ...wholeNumber(1, requestsMax),
    defaults: {},
  },
  customerRequestsPerMinute: {
    about: 'how many requests for one customer are answered in a minute; more are a 429',
    ...wholeNumber(1, requestsMax),
    defaults: {},
  },
  providerRequestsPerSecond: {
    about: 'how many requests are answered in a second, all together; more are a 429',
    ...wholeNumber(1, requestsMax),
    defaults: {},
  },
  logLevel: {
    about: 'how much is logged',
    mustBe: `one of ${logLevels.join(', ')}`,
    read: (text) => (logLevels.includes(text) ? text : undefined),
    // The demo's terminal is for people.
    defaults: { ...everywhere('info'), demo: 'warn' },
  },
  metricsPort: {
    about: 'the port where Prometheus finds metrics; without it there are none',
    ...wholeNumber(0, portMax),
    defaults: {},
  },
  metricsHost: {
    about: 'the address to serve metrics on, to whoever can reach it',
    ...hostName,
    defaults: everywhere('127.0.0.1'),
  },
}

export const settingNames = Object.keys(definitions) as SettingName[]

/** `providerUrl` is `HOLDFAST_PROVIDER_URL` in the environment and `--provider-url` as a flag. */
export function variableOf(name: SettingName): string {
  return `HOLDFAST_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`
}

export function flagOf(name: SettingName): string {
  return `--${name.replaceAll(/[A-Z]/g, '-$&').toLowerCase()}`
}

/** One setting in force: what it is and where that came from. */
export interface InForce {
  readonly value?: Settings[SettingName]
  readonly source: 'flag' | 'environment' | 'default' | 'not set'
}

export interface Reading {
  readonly inForce: Readonly<Record<SettingName, InForce>>
  /** One sentence for each that is wrong. Values are not repeated: one may hold a password. */
  readonly wrong: readonly string[]
  /** One sentence for each that the role needs and nobody gave. */
  readonly missing: readonly string[]
  /** Variables that look like settings and are none. */
  readonly unknown: readonly string[]
}

export function readSettings(
  role: Role,
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Partial<Record<SettingName, string>>>,
): Reading {
  const wrong: string[] = []
  const missing: string[] = []
  const inForce = {} as Record<SettingName, InForce>

  for (const name of settingNames) {
    const { mustBe, read, defaults, requiredBy, derived } = definitions[name]
    const given = [
      { source: 'flag', spelled: flagOf(name), text: flags[name] },
      { source: 'environment', spelled: variableOf(name), text: environment[variableOf(name)] },
      { source: 'default', spelled: 'the default', text: defaults[role] },
    ] as const
    // An empty variable counts as none; an empty flag is a mistake.
    const used = given.find(({ source, text }) => (source === 'flag' ? text !== undefined : text))
    const value = used?.text === undefined ? undefined : read(used.text, valuesOf(inForce))

    if (used && value === undefined) wrong.push(`${used.spelled} must be ${mustBe}`)
    if (!used && requiredBy?.includes(role)) {
      missing.push(`${variableOf(name)} (${flagOf(name)}) is required: ${definitions[name].about}`)
    }
    if (used && value !== undefined) inForce[name] = { value, source: used.source }
    else inForce[name] = madeFrom(derived?.from(role, valuesOf(inForce)))
  }

  for (const name of settingNames) {
    const beside = definitions[name].requiredBeside?.filter((other) => inForce[other].value)
    if (inForce[name].value !== undefined || !beside?.[0]) continue
    wrong.push(
      `${variableOf(name)} (${flagOf(name)}) is required beside ${variableOf(beside[0])}: ${definitions[name].about}`,
    )
  }

  const variables = new Set(settingNames.map(variableOf))
  const unknown = Object.keys(environment)
    .filter((variable) => variable.startsWith('HOLDFAST_') && !variables.has(variable))
    .sort()
  return { inForce, wrong, missing, unknown }
}

function valuesOf(inForce: Readonly<Partial<Record<SettingName, InForce>>>): Partial<Settings> {
  return Object.fromEntries(Object.entries(inForce).map(([name, { value }]) => [name, value]))
}

function madeFrom(value: InForce['value']): InForce {
  return value === undefined ? { source: 'not set' } : { value, source: 'default' }
}

function everywhere(text: string): Record<Role, string> {
  return { provider: text, platform: text, demo: text }
}

/** Two slashes, so that what stands before the host is seen as a user and a password. */
function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:\/\/[^\s]+$/.test(text) && URL.canParse(text)
}

/** Written as it will be compared: what a URL parser would mend is not taken. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s\\]+$/.test(text) && URL.canParse(text)
}

/** Whether nobody on the way can change what an address answers. */
function isProtected(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[(.+)\]$/, '$1'))
}

/** Without a trailing slash: a path is put right behind it. */
function isTimeZone(text: string): boolean {
  // The default, and the other way takes its time at every start.
  if (text === 'UTC') return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}
