import { Command, Option } from 'commander'
import { abortOnSignal } from '../server/signals.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { databaseSettings } from './common/database.ts'
import { parseDelimiter } from './common/parse-delimiter.ts'
import { parseNumber } from './common/parse-number.ts'
import { addSettingFlags } from './common/setting-flags.ts'
import { collect } from './common/subcommands.ts'
import { inputFormats, type LoadFlags } from './load/flags.ts'

const batchMax = 999_999_999
const flushMsMax = 3_600_000

export function loadCommand(terminal: Terminal): Command {
  const command = new Command('load')
    .summary('load data from files or a PostgreSQL database')
    .description(
      'Loads customers, accounts, histories and products into the database: from NDJSON files (one JSON object per line), or from CSV files, TSV files and queries on a PostgreSQL database with --type or --map. A load is atomic: readers see all of it or nothing. Loading a file again changes nothing.',
    )
    .argument('[file...]', 'files to load; - is standard input')
    .addOption(
      new Option(
        '--format <format>',
        'format of the files; the default is the extension, or ndjson',
      ).choices(inputFormats),
    )
    .option(
      '--delimiter <character>',
      'what separates the cells of tables, or tab; the default is a comma for csv and a tab for tsv',
      parseDelimiter,
    )
    .option('--type <type>', 'load tables whose columns are named after the fields of this record')
    .option('--map <file>', 'load the lines that the function in this file makes from each row')
    .option(
      '--from <url>',
      'load rows of this PostgreSQL database; the default is HOLDFAST_LOAD_FROM',
    )
    .option(
      '--query <file>',
      'load the rows of the SELECT in this file, with --type or --map; can be repeated',
      collect,
    )
    .option('--dry-run', 'validate the files without changing the database')
    .option(
      '--strict',
      'reject a load with warnings: exit with 1 and change nothing; not with --batch, --follow and --skip-invalid',
    )
    .option(
      '--batch <lines>',
      'commit after every so many lines, instead of once at the end',
      (text) => parseNumber('--batch', text, batchMax),
    )
    .option(
      '--follow',
      'load lines as they are written to a file, which may be rotated, or to standard input',
    )
    .option(
      '--feed <name>',
      'with --follow: remember the position, so that a follower that is started again continues there',
    )
    .option(
      '--flush-ms <milliseconds>',
      'with --follow: commit lines after this time even if the batch is not full; 200 by default',
      (text) => parseNumber('--flush-ms', text, flushMsMax),
    )
    .addOption(
      new Option(
        '--unknown-fields <action>',
        'what to do with fields of a record that the interface does not have: reject the line, or drop the fields and count them',
      )
        .choices(['reject', 'drop'])
        .default('reject'),
    )
    .option('--errors <file>', 'write every error to a file, one per line')
    .option(
      '--show-values',
      'print the value of the first error of each cause, which may be personal data',
    )
    .option(
      '--skip-invalid',
      'commit the valid lines; requires --rejects, and exits with 1 if lines were skipped',
    )
    .option(
      '--rejects <file>',
      'write the lines that were skipped to a file, to be corrected and loaded; with --type or --map and several inputs, a folder with a file for each input',
    )
    .option(
      '--metrics-file <file>',
      'write progress and result as metrics for the textfile collector of the Prometheus node exporter',
    )
    .addHelpText(
      'after',
      `
Examples:
  holdfast load customers.ndjson accounts.ndjson
  holdfast load --dry-run --errors errors.txt bank.ndjson
  holdfast generate --customers 1000 | holdfast load -
  holdfast load --type banking.transaction transactions.csv
  holdfast map init customers.csv && holdfast load --dry-run --map map.ts customers.csv
  holdfast load --map map.ts customers.csv accounts.csv
  holdfast load --map map.ts --from postgres://reader@core/bank --query accounts.sql
  holdfast load --follow --feed core changes.ndjson

A load that is stopped by a signal reports what was committed and exits with 130 (SIGINT) or 143 (SIGTERM). With --follow, it commits the complete lines that it has read, reports what is left and exits with 0.`,
    )
  return addSettingFlags(command, 'provider', databaseSettings).action(
    (names: string[], flags: LoadFlags) =>
      abortOnSignal(async (signal, stoppedBy) => {
        requireConsistent(flags)
        const run = flags.follow
          ? (await import('./load/follow.ts')).runFollow
          : (await import('./load/run-load.ts')).runLoad
        return run(names, flags, terminal, { signal, stoppedBy })
      }),
  )
}

function requireConsistent(flags: LoadFlags): void {
  const { skipInvalid, rejects, follow, feed, flushMs, batch, strict } = flags
  if ((skipInvalid === undefined) !== (rejects === undefined))
    throw new CommandError(2, '--skip-invalid and --rejects require each other')
  if (strict && (follow || skipInvalid || batch !== undefined)) {
    throw new CommandError(
      2,
      '--strict rejects a load as a whole: it cannot be used with --batch, --follow or --skip-invalid',
    )
  }
  if (!follow && feed !== undefined) throw new CommandError(2, '--feed requires --follow')
  if (!follow && flushMs !== undefined) throw new CommandError(2, '--flush-ms requires --follow')
}
