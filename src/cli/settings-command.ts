import { Argument, Command } from 'commander'
import { escapeInvisible } from '../contract/characters.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import {
  definitions,
  flagOf,
  type InForce,
  type Reading,
  type Role,
  readSettings,
  roles,
  type SettingName,
  type Settings,
  settingNames,
  variableOf,
} from '../settings/settings.ts'

export function settingsCommand(terminal: Terminal): Command {
  const command = new Command('settings')
    .summary('print the settings in force and where each came from')
    .description(
      'Prints each setting, its value and where that came from, as the provider, the platform or the demo would start with it, and names every required setting that is missing. A password in a database address is not shown.',
    )
    .addArgument(
      new Argument('[role]', 'what you are going to run').choices(roles).default('provider'),
    )
    .option('--json', 'print an object instead of lines')
    .addHelpText(
      'after',
      `\nEach flag is also a variable: --port is ${variableOf('port')}. Flags take precedence.\n\nExit status: 0 complete, 1 a required setting is missing, 2 a setting is invalid.`,
    )

  addSettingFlags(command).action((role: Role, options: Options) => {
    const reading = readSettings(role, terminal.environment, options)
    const { missing, unknown, wrong } = reading
    warnOfUnknown(unknown, terminal)
    if (wrong.length > 0) throw invalidSettings([...wrong, ...missing])
    terminal.out(options.json ? asJson(reading) : asLines(reading))
    if (missing.length === 0) return
    throw new CommandError(1, missing.map((sentence) => `missing: ${sentence}`).join('\n'))
  })
  return command
}

type Options = Partial<Record<SettingName, string>> & { json?: true }

/** Gives a command one flag for each setting that it goes by. */
export function addSettingFlags(
  command: Command,
  names: readonly SettingName[] = settingNames,
): Command {
  for (const name of names) {
    const { about, mustBe } = definitions[name]
    command.option(`${flagOf(name)} <value>`, `${about}; must be ${mustBe}`)
  }
  return command
}

/** The settings that a command goes by. Those that nobody gave and that have no default are undefined. */
export function settingsOf(
  role: Role,
  flags: Partial<Record<SettingName, string>>,
  terminal: Terminal,
): Pick<Settings, DefaultedSetting> & Partial<Settings> {
  const { inForce, wrong, unknown } = readSettings(role, terminal.environment, flags)
  warnOfUnknown(unknown, terminal)
  if (wrong.length > 0) throw invalidSettings(wrong)
  return Object.fromEntries(
    settingNames.map((name) => [name, inForce[name].value]),
  ) as unknown as Settings
}

/** All settings of a role, or an error that names every invalid and every missing one. */
export function requiredSettingsOf(
  role: Role,
  flags: Partial<Record<SettingName, string>>,
  terminal: Terminal,
): Settings {
  const { missing, wrong } = readSettings(role, terminal.environment, flags)
  const problems = [...wrong, ...missing]
  if (problems.length > 0) throw invalidSettings(problems)
  return settingsOf(role, flags, terminal) as Settings
}

type DefaultedSetting =
  | 'database'
  | 'databaseConnections'
  | 'databasePartitions'
  | 'replicaLagMax'
  | 'host'
  | 'port'
  | 'jwksAllowHttp'
  | 'accountVersion'
  | 'timeZone'
  | 'workers'
  | 'shutdownTimeout'
  | 'logLevel'
  | 'metricsHost'

function warnOfUnknown(variables: readonly string[], terminal: Terminal): void {
  for (const variable of variables) {
    terminal.error(`warning: ${escapeInvisible(variable)} is not a setting\n`)
  }
}

/** All problems in one message, so that one more attempt is enough. */
function invalidSettings(problems: readonly string[]): CommandError {
  return new CommandError(2, ['These settings are wrong:', ...problems].join('\n  '))
}

function asLines({ inForce }: Reading): string {
  const rows = settingNames.map((name) => [
    variableOf(name),
    escapeInvisible(shown(inForce[name])),
    inForce[name].source,
  ])
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map(([variable = '', value = '', source = '']) =>
      [variable.padEnd(widths[0] ?? 0), value.padEnd(widths[1] ?? 0), source].join('  '),
    )
    .map((line) => `${line}\n`)
    .join('')
}

function asJson({ inForce }: Reading): string {
  const entries = settingNames.map((name) => [
    variableOf(name),
    {
      value: jsonValue(inForce[name]),
      source: inForce[name].source,
    },
  ])
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
}

function jsonValue({ value, source }: InForce): unknown {
  return typeof value === 'string' ? shown({ value, source }) : (value ?? null)
}

/** Parameters of an address that are no secret; the value of any other is not shown. */
const openParameters = ['host', 'port', 'sslmode', 'sslrootcert', 'user']

function shown({ value = '-' }: InForce): string {
  const url = URL.parse(String(value))
  if (!url) return String(value)
  if (url.password) url.password = '***'
  for (const name of url.searchParams.keys()) {
    if (!openParameters.includes(name)) url.searchParams.set(name, '***')
  }
  return url.password || url.search ? url.href : String(value)
}
