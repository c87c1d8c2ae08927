import type { Command } from 'commander'
import type { Terminal } from '../server/terminal.ts'
import { databaseSettings } from './common/database.ts'
import { addSettingFlags } from './common/setting-flags.ts'
import { createSubcommand } from './common/subcommands.ts'
import type { DataFlags } from './data/read-data.ts'
import { addCorrectionFlags, type CorrectionFlags } from './records/correction-flags.ts'

export function dataCommand(terminal: Terminal): Command {
  const data = createSubcommand('data', 'inspect the stored customers and accounts')
  for (const command of [summaryCommand(terminal), checkCommand(terminal)]) {
    data.addCommand(addSettingFlags(command, 'provider', databaseSettings))
  }
  const corrections = correctionsCommand(terminal)
  return data.addCommand(
    addSettingFlags(corrections, 'provider', [...databaseSettings, 'timeZone']),
  )
}

function summaryCommand(terminal: Terminal): Command {
  return createSubcommand('summary', 'count what is stored')
    .description(
      'Counts the records of each type, with the first and the last day (of banking transactions in UTC) and the longest list of an account, and the accounts without a balance or a contact record. Reads one snapshot of the database, while servers and loads use it.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample: holdfast data summary --database sqlite:bank.db')
    .action(async (flags: DataFlags) =>
      (await import('./data/summary.ts')).summarizeData(flags, terminal),
    )
}

function checkCommand(terminal: Terminal): Command {
  return createSubcommand('check', 'find accounts and records that are incomplete')
    .description(
      'Finds accounts without a balance, a contact record or all users, customers without an e-mail address, and records that the Consumer Data Standards do not allow. Prints how many there are, with the IDs of the first 20, and exits with 1 if there are any. Reads one snapshot of the database, while servers and loads use it.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample: holdfast data check --database sqlite:bank.db')
    .action(async (flags: DataFlags) =>
      (await import('./data/check.ts')).checkData(flags, terminal),
    )
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
