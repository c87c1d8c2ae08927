import { type Command, Option } from 'commander'
import type { Terminal } from '../../server/terminal.ts'
import { databaseSettings } from '../common/database.ts'
import { addSettingFlags } from '../common/setting-flags.ts'
import { createSubcommand } from '../common/subcommands.ts'
import { addCorrectionFlags } from './correction-flags.ts'
import type { NoticeFlags } from './write-notices.ts'

export function correctionsCommand(terminal: Terminal): Command {
  const command = createSubcommand(
    'corrections',
    'list which third parties can have received data that was corrected since',
  ).description(
    'Prints a notice for each correction and each consent under which the wrong data can have been disclosed: the customer, the third party, the data, the first and the last disclosure, and the day when the notice to the customer is due. Corrections are lines of loads and feeds with "correction": true.',
  )
  addCorrectionFlags(command)
    .option('--third-party <id>', 'only notices about this third party (see holdfast client list)')
    .option('--corrections <file>', 'read the output of holdfast data corrections from this file')
    .addOption(
      new Option('--format <format>', 'lines of JSON, comma-separated values, or text')
        .choices(['ndjson', 'csv', 'text'])
        .default('ndjson'),
    )
    .addHelpText(
      'after',
      `
A notice is due five business days after the correction. Public holidays are
not known: with one in between, it is due later. Days begin in
HOLDFAST_TIME_ZONE, and times are in it.

If the provider has a database of its own, its corrections are there: write
them to a file with holdfast data corrections, and read it with --corrections.

Examples:
  holdfast records corrections --since 2026-11-01 --format text
  holdfast records corrections --corrections corrections.ndjson --format csv`,
    )
    .action(async (flags: NoticeFlags) =>
      (await import('./write-notices.ts')).writeNotices(flags, terminal),
    )
  return addSettingFlags(command, 'platform', [...databaseSettings, 'timeZone'])
}
