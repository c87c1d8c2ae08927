import { type Command, Option } from 'commander'
import type { Terminal } from '../server/terminal.ts'
import { parseDelimiter } from './common/parse-delimiter.ts'
import { createSubcommand } from './common/subcommands.ts'
import type { InitFlags } from './map/init.ts'
import { proposedTypes } from './map/proposal.ts'

export function mapCommand(terminal: Terminal): Command {
  return createSubcommand('map', 'write mapping functions for tables').addCommand(
    initCommand(terminal),
  )
}

function initCommand(terminal: Terminal): Command {
  return createSubcommand('init', 'propose a mapping function for a table')
    .description(
      'Reads the header and the first rows of a CSV or TSV file, recognises its encoding, delimiter, record type, columns, times and amounts, and writes a mapping function for holdfast load --map. Prints what it recognised, without values, and a dry run to try. Replaces no file.',
    )
    .argument('<file>', 'the table')
    .option(
      '--delimiter <character>',
      'what separates the cells, or tab; recognised by default',
      parseDelimiter,
    )
    .addOption(
      new Option('--type <type>', 'the record type; recognised by default').choices(proposedTypes),
    )
    .option('--output <file>', 'the file to write', 'map.ts')
    .addHelpText('after', '\nExample: holdfast map init transactions.csv')
    .action(async (file: string, flags: InitFlags) =>
      (await import('./map/init.ts')).initMap(file, flags, terminal),
    )
}
