import { type Command, Option } from 'commander'
import { escapeInvisible } from '../../contract/characters.ts'
import {
  flagName,
  type Role,
  readSettings,
  type SettingName,
  type Settings,
  settingDefinitions,
  settingNames,
  variableName,
} from '../../server/settings/settings.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'

export type SettingFlags = Partial<Record<SettingName, string>>

/** Adds a flag for each of the settings. The help shows the defaults of the role, if one is given. */
export function addSettingFlags(
  command: Command,
  role: Role | undefined,
  names: readonly SettingName[] = settingNames,
): Command {
  const [first = 'database'] = names
  const group = `Settings (each is also an environment variable, such as ${variableName(first)}):`
  for (const name of names) {
    const { about, mustBe, placeholder, defaults, derived, requiredBy } = settingDefinitions[name]
    const fallback = role && (defaults?.[role] ?? derived?.about)
    const facts = [
      mustBe,
      ...(role && requiredBy?.includes(role) ? ['required'] : []),
      ...(fallback && !(role && requiredBy?.includes(role)) ? [`default: ${fallback}`] : []),
    ]
    const flag = `${flagName(name)} <${placeholder}>`
    command.addOption(new Option(flag, `${about} (${facts.join('; ')})`).helpGroup(group))
  }
  return command
}

/** The settings of a command. Those that are not set and have no default are undefined. */
export type CommandSettings = Pick<Settings, 'database'> & Partial<Settings>

export function readCommandSettings(
  role: Role,
  flags: SettingFlags,
  terminal: Terminal,
): CommandSettings {
  const { effective, invalid, unknown } = readSettings(role, terminal.environment, flags)
  warnOfUnknown(unknown, terminal)
  if (invalid.length > 0) throw invalidSettings(invalid)
  return toValues(effective)
}

/** The effective settings of a role, or an error that lists every invalid and every missing one. */
export function requireRoleSettings(role: Role, flags: SettingFlags, terminal: Terminal): Settings {
  const { effective, invalid, missing, unknown } = readSettings(role, terminal.environment, flags)
  warnOfUnknown(unknown, terminal)
  const problems = [...invalid, ...missing]
  if (problems.length > 0) throw invalidSettings(problems)
  return toValues(effective)
}

function toValues(effective: ReturnType<typeof readSettings>['effective']): Settings {
  const values = settingNames.map((name) => [name, effective[name].value])
  return Object.fromEntries(values) as unknown as Settings
}

export function warnOfUnknown(variables: readonly string[], terminal: Terminal): void {
  for (const variable of variables) {
    terminal.error(`warning: ${escapeInvisible(variable)} is not a setting\n`)
  }
}

/** All problems in one message, so that they can be fixed together. */
export function invalidSettings(problems: readonly string[]): CommandError {
  return new CommandError(2, ['invalid settings:', ...problems].join('\n  '))
}
