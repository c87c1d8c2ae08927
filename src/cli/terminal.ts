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
  // A write beyond a limit on file sizes fails like one to a full disk; without a listener it would end the process.
  process.on('SIGXFSZ', () => {})
  // The reader of a pipe may leave early, as head does: messages to it are not needed any more.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
  return {
    out: (text) => void process.stdout.write(escapeInvisibleInLines(text)),
    error: (text) => void process.stderr.write(escapeInvisibleInLines(text)),
    status: (line) => void process.stderr.write(`\r\u001b[K${escapeInvisible(line)}`),
    write: (text) =>
      new Promise((resolve) => {
        process.stdout.write(text, (error?: NodeJS.ErrnoException | null) => {
          // Nobody reads the data that a command is for: there is nothing left to do.
          if (error?.code === 'EPIPE') process.exit(0)
          resolve()
        })
      }),
    isInteractive: process.stderr.isTTY ?? false,
    environment: process.env,
  }
}
