import { type Command, Option } from 'commander'

export const inputFormats = ['ndjson', 'csv', 'tsv'] as const
export type InputFormat = (typeof inputFormats)[number]

export interface InputFlags {
  readonly format?: InputFormat
  readonly type?: string
  readonly map?: string
  readonly from?: string
  readonly query?: readonly string[]
}

export function addInputFlags(command: Command): Command {
  return command
    .argument('[file...]', 'files to load; - is standard input')
    .addOption(
      new Option(
        '--format <format>',
        'format of the files; the default is the extension, or ndjson',
      ).choices(inputFormats),
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
      (file: string, files: readonly string[] = []) => [...files, file],
    )
}
