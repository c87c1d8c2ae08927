import { type Command, CommanderError } from 'commander'
import { CommandError, isExpected, processTerminal, type Terminal } from '../server/terminal.ts'
import { defineHoldfast } from './common/holdfast.ts'

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

async function createProgram(args: readonly string[], terminal: Terminal): Promise<Command> {
  const holdfast = await defineNeeded(args, terminal)
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

/** A server starts without the modules of other commands. */
async function defineNeeded([name]: readonly string[], terminal: Terminal): Promise<Command> {
  if (name !== 'serve') return (await import('./commands.ts')).defineCommands(terminal)
  const { serveCommand } = await import('./serve.ts')
  return defineHoldfast().addCommand(serveCommand(terminal))
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}
