import { once } from 'node:events'
import { escapeInvisible, escapeInvisibleInLines } from '../contract/characters.ts'

/** What a command may touch of the world it was started in. A test hands in its own. */
export interface Terminal {
  /** Both escape invisible characters, so that no outside text steers the terminal. */
  out(text: string): void
  error(text: string): void
  /** Shows one line that the next one replaces; an empty one removes it. */
  status(line: string): void
  /** Data, byte for byte: waits until there is room for more. */
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
    out: (text) => void process.stdout.write(escapeInvisibleInLines(text)),
    error: (text) => void process.stderr.write(escapeInvisibleInLines(text)),
    status: (line) => void process.stderr.write(`\r\u001b[K${escapeInvisible(line)}`),
    async write(text) {
      if (!process.stdout.write(text)) await once(process.stdout, 'drain')
    },
    isInteractive: process.stderr.isTTY ?? false,
    environment: process.env,
  }
}
