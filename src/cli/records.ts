import { Argument, Command, Option } from 'commander'
import { type Block, hasOwnHash } from '../disclosures/block.ts'
import { findRecords, type RecordQuery } from '../disclosures/find-records.ts'
import { parsePosition } from '../disclosures/position.ts'
import type { Stored } from '../disclosures/record.ts'
import type { Position } from '../disclosures/store.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { addSubcommands, createSubcommand } from './common/subcommands.ts'
import { correctionsCommand } from './records/corrections.ts'
import { openCsv, toPlainRecord } from './records/format-record.ts'
import {
  type AnyRecord,
  addSideOption,
  type RecordFlags,
  type Records,
  withRecords,
} from './records/open-records.ts'
import { parseTime } from './records/parse-time.ts'
import { refuseChanged } from './records/refuse-changed.ts'
import { verifyCommand } from './records/verify.ts'

interface ExportFlags extends RecordFlags {
  readonly from?: string
  readonly to?: string
  readonly customer?: string
  readonly thirdParty?: string
  readonly after?: string
  readonly format: 'ndjson' | 'csv'
}

export function recordsCommand(terminal: Terminal): Command {
  const command = new Command('records')
    .summary('prove what was disclosed, also of data that was corrected since')
    .description(
      'The platform records each answer to a third party before it is sent: the time, what was asked for, for which customer and under which consent, how many records of which accounts were disclosed, or why nothing was. With HOLDFAST_RECORDS=true, a provider and a guard record each answer to a platform (--of provider). The records have no data of customers but their IDs.',
    )
    .addHelpText(
      'after',
      `
The records of each server process are a chain of blocks, in which each block
has the SHA-256 of the block before it. A process signs the end of its chain
every minute, and writes it to the log. Keep the log elsewhere: with it, verify
also finds that the last records of a chain were removed.

Example:
  holdfast records show 7e0d5f4c-0a0e-4b59-9f11-5d9a6d3c1f70
  holdfast records export --customer cust-1 --format csv > records.csv
  holdfast records verify --heads platform.log
  holdfast records corrections --since 2026-11-01 --format text`,
    )
  return addSubcommands(
    command.addCommand(correctionsCommand(terminal)),
    terminal,
    ...[showCommand, exportCommand, verifyCommand],
  )
}

function showCommand(terminal: Terminal): Command {
  return addSideOption(createSubcommand('show', 'show the records with an interaction ID, as JSON'))
    .addArgument(
      new Argument('<interaction-id>', 'x-fapi-interaction-id of the response, also in the log'),
    )
    .action((interactionId: string, flags: RecordFlags) =>
      withRecords(flags, terminal, async ({ store }) => {
        let isFound = false
        let changed: Block | undefined
        for await (const [records, block] of findRecords<AnyRecord>(store, { interactionId })) {
          if (!hasOwnHash(block)) changed ??= block
          for (const record of records) {
            isFound = true
            terminal.out(`${JSON.stringify(toPlainRecord(record), null, 2)}\n`)
          }
        }
        refuseChanged(changed)
        if (!isFound) throw new CommandError(1, 'no record has this interaction ID')
      }),
    )
}

function exportCommand(terminal: Terminal): Command {
  return addSideOption(
    createSubcommand('export', 'write records to standard output, in order of time'),
  )
    .option('--from <time>', 'from this day or time on, such as 2026-07-01')
    .option('--to <time>', 'before this day or time')
    .option('--customer <id>', 'only records of this customer')
    .option('--third-party <id>', 'only records of this third party (see holdfast client list)')
    .option('--after <position>', 'continue after this position, which each record has')
    .addOption(
      new Option('--format <format>', 'lines of JSON, or comma-separated values')
        .choices(['ndjson', 'csv'])
        .default('ndjson'),
    )
    .addHelpText(
      'after',
      `
An export that was interrupted continues with --after and the position of the
last record that was written.

Example: holdfast records export --from 2026-07-01 --to 2027-01-01`,
    )
    .action((flags: ExportFlags) => {
      const query = readQuery(flags)
      return withRecords(flags, terminal, (records) =>
        writeRecords(records, query, flags, terminal),
      )
    })
}

function readQuery({ from, to, customer, thirdParty, after }: ExportFlags): RecordQuery {
  return {
    from: parseTime('--from', from, 'UTC'),
    to: parseTime('--to', to, 'UTC'),
    customerId: customer,
    thirdPartyId: thirdParty,
    after: after === undefined ? undefined : readPosition(after),
  }
}

async function writeRecords(
  { store }: Records,
  query: RecordQuery,
  { format, of }: ExportFlags,
  terminal: Terminal,
): Promise<void> {
  const csv = openCsv(of)
  if (format === 'csv' && !query.after) await terminal.write(csv.header)
  const write = format === 'csv' ? csv.format : formatJson
  let changed: Block | undefined
  for await (const [records, block] of findRecords<AnyRecord>(store, query)) {
    if (!hasOwnHash(block)) changed ??= block
    // A block as a whole: what is continued begins with the next one.
    if (records.length > 0) await terminal.write(records.map(write).join(''))
  }
  refuseChanged(changed)
}

const formatJson = (record: Stored<AnyRecord>): string =>
  `${JSON.stringify(toPlainRecord(record))}\n`

function readPosition(text: string): Position {
  const position = parsePosition(text)
  if (!position) throw new CommandError(2, '--after must be the position of a record')
  return position
}
