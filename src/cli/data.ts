import type { Command } from 'commander'
import type { Terminal } from '../server/terminal.ts'
import { databaseSettings } from './common/database.ts'
import { addSettingFlags, type SettingFlags } from './common/setting-flags.ts'
import { createSubcommand } from './common/subcommands.ts'
import { addCorrectionFlags, type CorrectionFlags } from './records/correction-flags.ts'

interface Flags extends SettingFlags {
  readonly json?: true
}

export function dataCommand(terminal: Terminal): Command {
  return createSubcommand('data', 'inspect the stored customers and accounts')
    .addCommand(addSettingFlags(checkCommand(terminal), 'provider', databaseSettings))
    .addCommand(
      addSettingFlags(correctionsCommand(terminal), 'provider', [...databaseSettings, 'timeZone']),
    )
}

function checkCommand(terminal: Terminal): Command {
  return createSubcommand('check', 'find accounts and records that are incomplete')
    .description(
      'Finds accounts without a balance, a contact record or all users, customers without an e-mail address, and records that the Consumer Data Standards do not allow. Prints how many there are, with the IDs of the first 20, and exits with 1 if there are any. Reads one snapshot of the database, while servers and loads use it.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample: holdfast data check --database sqlite:bank.db')
    .action(async (flags: Flags) => (await import('./data/check.ts')).checkData(flags, terminal))
}

function correctionsCommand(terminal: Terminal): Command {
  const command = createSubcommand(
    'corrections',
    'write which data was corrected, for the notices to customers',
  ).description(
    'Writes the corrections of loads and feeds, which are lines with "correction": true, as lines of JSON without the data. holdfast records corrections finds the third parties that can have received the data. It needs this output if the platform has another database.',
  )
  return addCorrectionFlags(command)
    .addHelpText(
      'after',
      `
Days begin in HOLDFAST_TIME_ZONE.

Example:
  holdfast data corrections --since 2026-11-01 > corrections.ndjson
  holdfast records corrections --corrections corrections.ndjson`,
    )
    .action(async (flags: CorrectionFlags) =>
      (await import('./data/corrections.ts')).writeCorrections(flags, terminal),
    )
}
