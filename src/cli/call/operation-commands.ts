import { Command, Option } from 'commander'
import { type Operation, providerOperations } from '../../contract/index.ts'
import { extensionNote, formatSummary } from '../../contract/operation.ts'
import { findPageRecords } from '../../contract/paging.ts'
import type { Terminal } from '../../server/terminal.ts'
import { addSettingFlags } from '../common/setting-flags.ts'
import { addKeyFlag } from '../common/signing-key.ts'
import { collect } from '../common/subcommands.ts'
import { callOperation, timeoutSecondsDefault } from './call-operation.ts'
import {
  type FlagValue,
  listOperationFlags,
  type OperationFlag,
  readOperationInput,
} from './operation-flags.ts'

/** The settings of a caller. Their defaults are those of the demo. */
const callSettings = [
  'providerUrl',
  'resourceUrl',
  'subdomain',
  'database',
  'databasePasswordFile',
] as const

/** Adds a subcommand for each operation of a provider. */
export function addOperationCommands(command: Command, terminal: Terminal): void {
  for (const [id, operation] of Object.entries<Operation>(providerOperations)) {
    command.addCommand(createOperationCommand(id, operation, terminal))
  }
}

function createOperationCommand(id: string, operation: Operation, terminal: Terminal): Command {
  const { ref, tag, method, path } = operation
  const flags = listOperationFlags(operation)
  const command = new Command(id)
    .alias(ref)
    .helpGroup(`${tag.charAt(0).toUpperCase()}${tag.slice(1)} operations:`)
    .summary(formatSummary(operation))
    .description(`${describeOperation(operation)}\n\n${method} ${path}`)
  const options = flags.map(createOption)
  for (const option of options) command.addOption(option)
  if (findPageRecords(operation.response)) {
    command.option('--all', 'read all pages and print each record as one line of JSON')
  }
  command.option(
    '--timeout <seconds>',
    `how long to wait for a response (default: ${timeoutSecondsDefault})`,
  )
  return addSettingFlags(addKeyFlag(command), 'demo', callSettings).action(
    async (values: Readonly<Record<string, FlagValue>>) => {
      const names = options.map((option) => option.attributeName())
      const given = names.map((name) => values[name])
      const rest = Object.entries(values).filter(([name]) => !names.includes(name))
      const input = readOperationInput(flags, given)
      await callOperation(id, operation, input, Object.fromEntries(rest), terminal)
    },
  )
}

function describeOperation({ summary, description, deprecated, isExtension }: Operation): string {
  const sentences = [
    `${summary}.`,
    ...(description ? [description.replaceAll('`', '')] : []),
    ...(isExtension ? [extensionNote] : []),
    ...(deprecated ? [`Deprecated: use ${deprecated.successor}.`] : []),
  ]
  return sentences.join(' ')
}

function createOption({ name, placeholder, about, isRequired, isList }: OperationFlag): Option {
  const option = new Option(`--${name} <${placeholder}>`, about).helpGroup('Parameters:')
  if (isRequired) option.makeOptionMandatory()
  if (isList) option.argParser(collect)
  return option
}
