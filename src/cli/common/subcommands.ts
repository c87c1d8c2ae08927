import { Command } from 'commander'
import { databaseSettings } from './database.ts'
import { addSettingFlags } from './setting-flags.ts'

export function createSubcommand(name: string, summary: string): Command {
  const description = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
  return new Command(name).summary(summary).description(description)
}

/** Adds subcommands that open the database of the platform. */
export function addSubcommands(command: Command, subcommands: readonly Command[]): Command {
  for (const subcommand of subcommands) {
    command.addCommand(addSettingFlags(subcommand, 'platform', databaseSettings))
  }
  return command
}
