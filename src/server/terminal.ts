import { once } from 'node:events'
import { escapeInvisible, escapeInvisibleInLines } from '../contract/characters.ts'
import { systemReason } from '../storage/system-reason.ts'

/** The input and output of a command. Tests pass their own. */
export interface Terminal {
  /** Both escape invisible characters, so that untrusted text cannot send control sequences to the terminal. */
  out(text: string): void
  error(text: string): void
  /** Shows a line that the next status replaces; an empty status removes it. */
  status(line: string): void
  /** Writes data byte for byte. Resolves when it is written, and rejects with a `CommandError` if it cannot be. */
  write(data: string | Uint8Array): Promise<void>
  /** Asks a question on the terminal. Undefined if the input or `error` is none. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>
  /** Whether `error` and `status` write to a terminal. */
  readonly isInteractive: boolean
  /** Whether `out` and `write` write to a terminal. */
  readonly isOutputTerminal: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** 1 failed, 2 invalid usage, 130 and 143 stopped by SIGINT and SIGTERM. */
type ExitStatus = 1 | 2 | 130 | 143

/** Invalid usage or a failure that the user can fix: its message is printed without a stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly status: ExitStatus

  constructor(status: ExitStatus, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** Whether only the message is printed. Compares names, because importing the classes would load the storage in every command. */
export function isExpected(error: unknown): error is Error {
  return error instanceof Error && /^(Command|Database|Contract)Error$/.test(error.name)
}

export function processTerminal(): Terminal {
  // With a listener, a write beyond the file size limit fails like one to a full disk, instead of ending the process.
  process.on('SIGXFSZ', () => {})
  // An error while writing messages cannot be reported anywhere.
  process.stderr.on('error', () => {})
  let isReported = false
  let writes = 0
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of a pipe may exit early, as head does. It needs no further messages.
    if (error.code === 'EPIPE' || isReported || writes > 0) return
    process.stderr.write(`${outputError(error).message}\n`)
    process.exit(1)
  })
  return {
    out: (text) => void process.stdout.write(escapeInvisibleInLines(text)),
    error: (text) => void process.stderr.write(escapeInvisibleInLines(text)),
    status: (line) => void process.stderr.write(`\r\u001b[K${escapeInvisible(line)}`),
    write: (data) =>
      new Promise((resolve, reject) => {
        writes += 1
        process.stdout.write(data, (error?: NodeJS.ErrnoException | null) => {
          writes -= 1
          if (!error) return resolve()
          isReported = true
          reject(outputError(error))
        })
      }),
    async ask(question, signal) {
      if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
      const { createInterface } = await import('node:readline/promises')
      // Without the terminal mode of readline, Ctrl-C stays a signal.
      const lines = createInterface({
        input: process.stdin,
        output: process.stderr,
        terminal: false,
      })
      try {
        const ended = once(lines, 'close', { signal }).then(() => '')
        return await Promise.race([lines.question(escapeInvisible(question), { signal }), ended])
      } finally {
        lines.close()
      }
    },
    isInteractive: process.stderr.isTTY ?? false,
    isOutputTerminal: process.stdout.isTTY ?? false,
    environment: process.env,
  }
}

/** Whether the output may contain colours: https://no-color.org. */
export function usesColour({ isOutputTerminal, environment }: Terminal): boolean {
  return isOutputTerminal && !environment['NO_COLOR']
}

/** Whether a command failed because the reader of its output has closed the pipe. */
export function isReaderGone(error: unknown): boolean {
  const { cause } = error as { readonly cause?: NodeJS.ErrnoException }
  return error instanceof CommandError && cause?.code === 'EPIPE'
}

function outputError(cause: NodeJS.ErrnoException): CommandError {
  return new CommandError(1, `the output cannot be written: ${systemReason(cause.code)}`, { cause })
}
