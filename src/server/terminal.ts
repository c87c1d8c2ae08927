import { escapeInvisible, escapeInvisibleInLines } from '../contract/characters.ts'
import { systemReason } from '../storage/system-reason.ts'

/** What a command may touch of the world it was started in. A test hands in its own. */
export interface Terminal {
  /** Both escape invisible characters, so that no outside text steers the terminal. */
  out(text: string): void
  error(text: string): void
  /** Shows one line that the next one replaces; an empty one removes it. */
  status(line: string): void
  /** Data, byte for byte: waits until it is written, and fails with a `CommandError` where it cannot be. */
  write(text: string): Promise<void>
  /** Whether somebody watches what goes to `error`. */
  readonly isInteractive: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** 1 failed, 2 wrong usage, the others stopped by a signal. */
type Status = 1 | 2 | 130 | 143

/** A command that was called wrongly, or that cannot go on: its message is all the user needs. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly status: Status

  constructor(status: Status, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** Whether a message is all the user needs. By name: the storage is loaded only by the commands that need it. */
export function isExpected(error: unknown): error is Error {
  return error instanceof Error && /^(Command|Database|Contract)Error$/.test(error.name)
}

export function processTerminal(): Terminal {
  // A write beyond a limit on file sizes fails like one to a full disk; without a listener it would end the process.
  process.on('SIGXFSZ', () => {})
  // Where messages cannot be written, there is no place to say so.
  process.stderr.on('error', () => {})
  let isReported = false
  let writes = 0
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of a pipe may leave early, as head does: messages to it are not needed any more.
    if (error.code === 'EPIPE' || isReported || writes > 0) return
    process.stderr.write(`${outputFailure(error).message}\n`)
    process.exit(1)
  })
  return {
    out: (text) => void process.stdout.write(escapeInvisibleInLines(text)),
    error: (text) => void process.stderr.write(escapeInvisibleInLines(text)),
    status: (line) => void process.stderr.write(`\r\u001b[K${escapeInvisible(line)}`),
    write: (text) =>
      new Promise((resolve, reject) => {
        writes += 1
        process.stdout.write(text, (error?: NodeJS.ErrnoException | null) => {
          writes -= 1
          if (!error) return resolve()
          isReported = true
          reject(outputFailure(error))
        })
      }),
    isInteractive: process.stderr.isTTY ?? false,
    environment: process.env,
  }
}

/** Whether a command failed since the reader of its output is gone. */
export function isReaderGone(error: unknown): boolean {
  const { cause } = error as { readonly cause?: NodeJS.ErrnoException }
  return error instanceof CommandError && cause?.code === 'EPIPE'
}

function outputFailure(cause: NodeJS.ErrnoException): CommandError {
  return new CommandError(1, `the output cannot be written: ${systemReason(cause.code)}`, { cause })
}
