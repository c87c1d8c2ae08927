import { Argument, Command } from 'commander'
import type { Terminal } from '../../server/terminal.ts'
import { databaseSettings } from './database.ts'
import { addSettingFlags } from './setting-flags.ts'

export function createSubcommand(name: string, summary: string): Command {
  const description = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
  return new Command(name).summary(summary).description(description)
}

/** `list` is the command that prints the IDs. */
export function idArgument(list: string): Argument {
  return new Argument('<id>', `the ID in the output of ${list}`)
}

/** For an option that can be repeated. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value]
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
