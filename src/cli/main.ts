import { Command, CommanderError } from 'commander'
import { CommandError, isExpected, processTerminal, type Terminal } from '../server/terminal.ts'
import { version } from '../server/version.ts'
import { backupCommand } from './backup.ts'
import { callCommand } from './call.ts'
import { checkCommand } from './check.ts'
import { clientCommand } from './client.ts'
import { consentCommand } from './consent.ts'
import { dataCommand } from './data.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { dumpCommand } from './dump.ts'
import { feedsCommand } from './feeds.ts'
import { generateCommand } from './generate.ts'
import { keysCommand } from './keys.ts'
import { loadCommand } from './load.ts'
import { mapCommand } from './map.ts'
import { openapiCommand } from './openapi.ts'
import { productsCommand } from './products.ts'
import { recordsCommand } from './records.ts'
import { reportCommand } from './report.ts'
import { serveCommand } from './serve.ts'
import { settingsCommand } from './settings.ts'
import { tokenCommand } from './token.ts'

export { stopWithParent } from '../server/signals.ts'

/** Runs one command and returns its exit status: 0 success, 1 failure, 2 invalid usage; others by signal. */
export async function main(
  args: readonly string[],
  terminal: Terminal = processTerminal(),
): Promise<number> {
  try {
    const program = await createProgram(args, terminal)
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (!isExpected(error)) throw error
    terminal.error(`${error.message}\n`)
    return error instanceof CommandError ? error.status : 1
  }
}

/** Defines every command except those of the operations, which `holdfast call` has. */
export function defineCommands(terminal: Terminal): Command {
  const holdfast = new Command('holdfast')
    .description(
      'The data-holder side of consented data sharing: banking and energy data behind signed, single-use tokens.',
    )
    .version(version, '-V, --version', 'print the version')
    // A command may have an option of its own with this name.
    .enablePositionalOptions()
    .addHelpText(
      'after',
      '\nTo get started: holdfast demo\nFor the options of a command: holdfast COMMAND --help\n\nExit status: 0 success, 1 failure, 2 invalid usage.',
    )

  const commands = [
    demoCommand(terminal),
    serveCommand(terminal),
    loadCommand(terminal),
    mapCommand(terminal),
    dumpCommand(terminal),
    dataCommand(terminal),
    feedsCommand(terminal),
    backupCommand(terminal),
    generateCommand(terminal),
    callCommand(),
    tokenCommand(terminal),
    checkCommand(terminal),
    keysCommand(terminal),
    clientCommand(terminal),
    consentCommand(terminal),
    recordsCommand(terminal),
    reportCommand(terminal),
    productsCommand(terminal),
    openapiCommand(terminal),
    settingsCommand(terminal),
    doctorCommand(terminal),
  ]
  for (const command of commands) holdfast.addCommand(command)
  return holdfast
}

async function createProgram(args: readonly string[], terminal: Terminal): Promise<Command> {
  const holdfast = defineCommands(terminal)
  const call = holdfast.commands.find((command) => command.name() === 'call')
  if (call && args.includes('call')) {
    const { addOperationCommands } = await import('./call/operation-commands.ts')
    addOperationCommands(call, terminal)
  }
  for (const command of withSubcommands(holdfast)) {
    command
      .helpCommand(false)
      .helpOption('-h, --help', 'print this help')
      // The default leaves long descriptions unwrapped beside long flags.
      .configureHelp({ minWidthToWrap: 20 })
      .exitOverride()
      .configureOutput({ writeOut: terminal.out, writeErr: terminal.error })
      .showHelpAfterError(`Run ${fullName(command)} --help for usage.`)
  }
  return holdfast
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}
