import { once } from 'node:events'

/** What a command may touch of the world it was started in. A test hands in its own. */
export interface Terminal {
  out(text: string): void
  error(text: string): void
  /** Like `out`, and waits until there is room for more. */
  write(text: string): Promise<void>
  /** Whether somebody watches what goes to `error`. */
  readonly isInteractive: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** A command that was called wrongly, or that cannot go on: its message is all the user needs. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly status: 1 | 2

  constructor(status: 1 | 2, message: string) {
    super(message)
    this.status = status
  }
}

export function processTerminal(): Terminal {
  // The reader of a pipe may leave early, as head does. That is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  return {
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    async write(text) {
      if (!process.stdout.write(text)) await once(process.stdout, 'drain')
    },
    isInteractive: process.stderr.isTTY ?? false,
    environment: process.env,
  }
}
