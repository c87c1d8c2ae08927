import cluster from 'node:cluster'
import { type Logger, pino } from 'pino'
import { openLineWriter } from './line-writer.ts'

/** How long the end of a process waits for the reader of its log. */
const closeMs = 1000

/** How deep causes are followed, and how many places of the code are told of each. */
const causesMax = 3
const placesMax = 10

export interface Log {
  readonly log: Logger
  /** Writes the lines that still wait, within a bounded time. The process can end afterwards. */
  close(): Promise<void>
  /** Ends the process with that status, whatever is still going on in it, once its lines are written. */
  exit(status: number): Promise<void>
}

const standardError = 2

/** One JSON object a line, to standard error: standard output is for people. */
export function openLog(level: string): Log {
  const writer = openLineWriter(standardError, (lines) =>
    log.warn({ lines }, 'log lines were lost'),
  )
  const log = pino(
    { level, base: { worker: cluster.worker?.id ?? 0 }, serializers: { err: errorForLog } },
    writer,
  )
  let closing: Promise<boolean> | undefined
  const close = async (): Promise<void> => {
    closing ??= writer.close(closeMs)
    if (!(await closing)) endBlockedProcess()
  }
  process.once('beforeExit', close)
  return {
    log,
    close,
    async exit(status) {
      await close()
      process.exit(status)
    },
  }
}

/**
 * For a process with a write that does not return, on a pipe that nobody reads: even `process.exit` would wait for it. A
 * signal does not. This one means to a service manager that the process stopped as it should.
 */
function endBlockedProcess(): void {
  process.removeAllListeners('SIGTERM')
  process.kill(process.pid, 'SIGTERM')
}

/**
 * An error that nothing caught, or a rejection that nothing handled, gets a line in the log, and the process goes on:
 * otherwise a single request that finds a bug could end all others, again and again. Whatever the error left undone
 * ends by its own timeout: requests, calls of a database and connections each have one.
 */
export function logUncaughtErrors(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'uncaught error')
  })
}

/**
 * What went wrong and where, without its message: that may repeat what was sent or what is stored. Ours do
 * not, and say so by their names.
 */
export function errorForLog(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name, message, stack = '', cause, code, errcode } = error as CodedError
  const isOurs = /^(Contract|Database)Error$/.test(name)
  return {
    type: name,
    ...(isOurs && { message }),
    ...(isCode(code) && { code }),
    ...(isCode(errcode) && { errcode }),
    places: placesIn(stack.slice(stack.indexOf(message) + message.length)),
    ...(cause !== undefined && depth < causesMax && { cause: errorForLog(cause, depth + 1) }),
  }
}

interface CodedError extends Error {
  /** Node's, PostgreSQL's or Fastify's. */
  readonly code?: unknown
  /** SQLite's. */
  readonly errcode?: unknown
}

function isCode(code: unknown): boolean {
  return typeof code === 'number' || (typeof code === 'string' && /^[\w.-]{1,64}$/.test(code))
}

/** Of a stack without its message, which may have lines of its own. */
function placesIn(stack: string): string[] {
  return stack
    .split('\n')
    .filter((line) => /^ {4}at .*:\d+:\d+\)?$/.test(line))
    .slice(0, placesMax)
    .map((line) => line.trim())
}
