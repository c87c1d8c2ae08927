import { Command } from 'commander'
import type { Terminal } from '../../server/terminal.ts'
import { databaseSettings } from './database.ts'
import { addSettingFlags } from './setting-flags.ts'

export function createSubcommand(name: string, summary: string): Command {
  const description = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
  return new Command(name).summary(summary).description(description)
}

/** Adds subcommands that open the database of the platform. */
export function addSubcommands(
  command: Command,
  terminal: Terminal,
  ...creators: readonly ((terminal: Terminal) => Command)[]
): Command {
  for (const create of creators) {
    command.addCommand(addSettingFlags(create(terminal), 'platform', databaseSettings))
  }
  return command
}
