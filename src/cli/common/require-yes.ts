import { CommandError, type Terminal } from '../../server/terminal.ts'

/** Asks on the terminal, and throws unless the answer is yes. */
export async function requireYes(
  question: string,
  {
    asking,
    otherwise,
    terminal,
    signal,
  }: {
    /** The command or option that asks. */
    readonly asking: string
    /** What was not done after another answer. */
    readonly otherwise: string
    readonly terminal: Terminal
    readonly signal: AbortSignal
  },
): Promise<void> {
  const answer = await terminal.ask(`${question} [y/N] `, signal)
  if (answer === undefined) {
    throw new CommandError(2, `${asking} asks on a terminal: without one, add --yes`)
  }
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError(1, otherwise)
}
