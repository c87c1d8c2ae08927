import type { Logger } from 'pino'
import { findDefects } from '../provider/source/find-defects.ts'
import type { Source } from '../provider/source/source.ts'
import { DatabaseError, solutions } from '../storage/database.ts'
import {
  flagName,
  readSettings,
  type SettingName,
  type Settings,
  settingDefinitions,
  settingNames,
  variableName,
} from './settings/settings.ts'

const guardNames = [
  'subdomain',
  'providerUrl',
  'resourceUrl',
  'jwksUrl',
  'jwksAllowHttp',
  'database',
  'databasePasswordFile',
  'databaseConnections',
] as const satisfies SettingName[]

const otherNames = [
  'host',
  'port',
  'accountVersion',
  'timeZone',
  'trustedProxies',
  'tlsCert',
  'tlsKey',
  'tlsClientCa',
  'shutdownTimeout',
  'connectionsPerAddress',
  'customerRequestsPerMinute',
  'providerRequestsPerSecond',
  'records',
  'recordYears',
  'logLevel',
  'metricsPort',
  'metricsHost',
] as const satisfies SettingName[]

type GuardName = (typeof guardNames)[number]
type RequiredName = 'subdomain' | 'providerUrl' | 'jwksUrl' | 'database'

/** Which tokens are accepted, and the database in which their use is recorded. */
export type GuardOptions = Pick<Settings, RequiredName> &
  Partial<Pick<Settings, Exclude<GuardName, RequiredName>>> & {
    /**
     * Creates the database unless it exists. Only for the first start: a new database does not know the tokens that were
     * used before, so that each of them is accepted once more.
     */
    readonly create?: boolean
    /** Replaces a lost replay file of a SQLite database by an empty one, with the same consequence. */
    readonly newReplayFile?: boolean
  }

/** The settings of a provider: docs/reference/settings.md. */
export type ProviderSettings = Partial<Pick<Settings, (typeof otherNames)[number]>>

export interface ProviderOptions {
  readonly source: Source
  readonly guard: GuardOptions
  readonly settings?: ProviderSettings
  /** By default, JSON lines are written to standard error. */
  readonly log?: Logger
}

type Given = Readonly<Record<string, unknown>>

/** The options as settings. Environment variables are not read. Throws an error with all defects of the options. */
export function readOptions({ source, guard, settings = {} }: ProviderOptions): Settings {
  const groups = [
    {
      group: 'guard',
      names: guardNames,
      given: { ...guard } as Given,
      others: ['create', 'newReplayFile'],
    },
    { group: 'settings', names: otherNames, given: { ...settings } as Given, others: [] },
  ]
  const unknown = groups.flatMap(({ group, names, given, others }) =>
    Object.keys(given)
      .filter((name) => ![...names, ...others].includes(name))
      .map((name) => `${group}.${name} is not an option`),
  )
  const texts = groups.flatMap(({ names, given }) =>
    names
      .filter((name) => given[name] !== undefined)
      .map((name) => [name, toText(given[name])] as const),
  )
  const { effective, invalid, missing } = readSettings('provider', {}, Object.fromEntries(texts))
  const noDatabase = guard?.database === undefined ? [databaseRequired] : []
  const defects = [
    ...findDefects(source),
    ...unknown,
    ...noDatabase,
    ...[...missing, ...invalid].map(withOptionNames),
  ]
  if (defects.length > 0) throw new TypeError(`createProvider: ${defects.join('\n')}`)
  const values = settingNames.map((name) => [name, effective[name].value])
  return Object.fromEntries(values) as Settings
}

/** An error about the database, with the options of `createProvider` in place of the flags of the command. */
export function withOptions(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  const message = withOptionNames(error.message)
    .replace(solutions.create, 'guard.create')
    .replace(solutions.newReplayFile, 'guard.newReplayFile')
  return message === error.message ? error : new DatabaseError(message)
}

const databaseRequired = `guard.database is required, and must be ${settingDefinitions.database.mustBe}: the use of tokens is recorded in it`

/** An object is no text of a setting; an empty text is always invalid. */
function toText(value: unknown): string {
  return /^(string|number|boolean)$/.test(typeof value) ? String(value) : ''
}

const optionNames = new Map(
  Object.entries({ guard: guardNames, settings: otherNames }).flatMap(([group, names]) =>
    names.flatMap((name) =>
      [variableName(name), flagName(name)].map((given) => [given, `${group}.${name}`] as const),
    ),
  ),
)

/** The sentences about settings name variables and flags. */
export function withOptionNames(sentence: string): string {
  return sentence.replaceAll(
    /(HOLDFAST_[A-Z_]+)(?: \(--[a-z-]+\))?|--[a-z-]+/g,
    (found, variable) => optionNames.get(variable ?? found) ?? found,
  )
}
