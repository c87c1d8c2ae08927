import type { Command } from 'commander'
import { defineCommands } from '../src/cli/commands.ts'
import { flagName, settingNames } from '../src/server/settings/settings.ts'
import type { Terminal } from '../src/server/terminal.ts'
import { page, table } from './markdown.ts'

const settingFlags = new Set<string>(settingNames.map(flagName))

/** A command with more settings is a server. */
const listedSettingsMax = 15

/** Every command with its arguments and its flags, from the definitions that the program itself uses. */
export function commandsPage(): string {
  const commands = defineCommands(silentTerminal).commands.flatMap(withSubcommands)
  return page(
    '# Commands',
    'Every command of `holdfast`. Exit status: 0 success, 1 failure, 2 invalid usage. A command also accepts the flags of its [settings](settings.md), which are listed without a description.',
    ...commands.flatMap(describeCommand),
  )
}

const silentTerminal: Terminal = {
  out: () => {},
  error: () => {},
  status: () => {},
  write: async () => {},
  isInteractive: false,
  isOutputTerminal: false,
  ask: async () => undefined,
  environment: {},
}

/** A command that only groups others has no section of its own. */
function withSubcommands(command: Command): Command[] {
  if (command.commands.length === 0) return [command]
  return command.commands.flatMap(withSubcommands)
}

function describeCommand(command: Command): string[] {
  const isSetting = ({ long = '' }: { long?: string }) => settingFlags.has(long)
  const visible = command.options.filter(({ hidden }) => !hidden)
  const own = visible.filter((option) => !isSetting(option))
  const settings = visible.filter(isSetting)
  return [
    `## ${nameOf(command)}`,
    `\`${nameOf(command)} ${command.usage()}\``,
    command.description(),
    ...(own.length > 0
      ? [
          table(
            ['Flag', 'Description'],
            own.map(({ flags, description }) => [`\`${flags}\``, description]),
          ),
        ]
      : []),
    ...(settings.length > listedSettingsMax
      ? ['Settings: those of its role.']
      : settings.length > 0
        ? [`Settings: ${settings.map(({ long }) => `\`${long}\``).join(', ')}.`]
        : []),
  ]
}

function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()
}
