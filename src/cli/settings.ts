import { Argument, Command } from 'commander'
import { escapeInvisible } from '../contract/characters.ts'
import {
  type EffectiveSetting,
  listSettings,
  type Role,
  readSettings,
  roles,
  type SettingName,
  type SettingsResult,
  variableName,
} from '../server/settings/settings.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { formatTable } from './common/format-table.ts'
import {
  addSettingFlags,
  invalidSettings,
  type SettingFlags,
  warnOfUnknown,
} from './common/setting-flags.ts'

export function settingsCommand(terminal: Terminal): Command {
  const command = new Command('settings')
    .summary('print the effective settings and their sources')
    .description(
      'Prints the value of each setting and its source (flag, environment or default), as the provider, the guard, the platform, the intake or the demo would use it, and reports every required setting that is missing. Passwords in a database URL are masked.',
    )
    .addArgument(new Argument('[role]', 'the role to run').choices(roles).default('provider'))
    .option('--json', 'print a JSON object instead of a table')
    .addHelpText(
      'after',
      '\nFlags take precedence over environment variables.\n\nExample: holdfast settings platform --port 9000\n\nExit status: 0 complete, 1 a required setting is missing, 2 a setting is invalid.',
    )

  addSettingFlags(command, undefined).action((role: Role, flags: Flags) => {
    const result = readSettings(role, terminal.environment, flags)
    const { missing, unknown, invalid } = result
    warnOfUnknown(unknown, terminal)
    if (invalid.length > 0) throw invalidSettings([...invalid, ...missing])
    const names = listSettings(role)
    terminal.out(flags.json ? formatJson(names, result) : formatSettings(names, result))
    if (missing.length === 0) return
    throw new CommandError(1, missing.join('\n'))
  })
  return command
}

type Flags = SettingFlags & { readonly json?: true }

function formatSettings(names: readonly SettingName[], { effective }: SettingsResult): string {
  const rows = names.map((name) => [
    variableName(name),
    escapeInvisible(maskSecrets(effective[name])),
    effective[name].source,
  ])
  return `${formatTable(rows).join('\n')}\n`
}

function formatJson(names: readonly SettingName[], { effective }: SettingsResult): string {
  const entries = names.map((name) => [
    variableName(name),
    { value: jsonValue(effective[name]), source: effective[name].source },
  ])
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
}

function jsonValue({ value, source }: EffectiveSetting): unknown {
  return typeof value === 'string' ? maskSecrets({ value, source }) : (value ?? null)
}

/** URL parameters that are not secret; the values of all others are masked. */
const publicParameters = ['host', 'port', 'sslmode', 'sslrootcert', 'user']

function maskSecrets({ value = '-' }: EffectiveSetting): string {
  const url = URL.parse(String(value))
  if (!url) return String(value)
  if (url.password) url.password = '***'
  for (const name of url.searchParams.keys()) {
    if (!publicParameters.includes(name)) url.searchParams.set(name, '***')
  }
  return url.password || url.search ? url.href : String(value)
}
