import cluster from 'node:cluster'
import { type Logger, pino } from 'pino'
import { type RequestLine, type RequestLog, requestMessage } from '../../http/request-log.ts'
import { openLineWriter } from './line-writer.ts'

/** How long the exit of a process waits for the reader of its log. */
const closeMs = 1000

/** How many nested causes are logged, and how many stack frames of each error. */
const causesMax = 3
const framesMax = 10

export interface Log {
  readonly log: Logger & RequestLog
  /** Writes the buffered lines within a bounded time. Does not end the process. */
  close(): Promise<void>
  /** Writes the buffered lines and ends the process, even if other work is pending. */
  exit(status: number): Promise<void>
}

const standardError = 2

/** Logs one JSON object per line to standard error. Standard output is for messages to the user. */
export function openLog(level: string, isTraced = false): Log {
  const { log, writer } = openLogger(level, { worker: cluster.worker?.id ?? 0 }, isTraced)
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
 * Even `process.exit` waits for a blocked write to a pipe without a reader; a signal does not. Service managers
 * regard SIGTERM as a regular end.
 */
function endBlockedProcess(): void {
  process.removeAllListeners('SIGTERM')
  process.kill(process.pid, 'SIGTERM')
}

/** The log of a server in the process of another program: it neither ends the process nor waits for its end. */
export function openEmbeddedLog(level: string, isTraced: boolean): Pick<Log, 'log' | 'close'> {
  const { log, writer } = openLogger(level, {}, isTraced)
  return { log, close: async () => void (await writer.close(closeMs)) }
}

/** If it is traced, an instrumentation may add fields to every line. */
function openLogger(level: string, base: Readonly<Record<string, number>>, isTraced: boolean) {
  const writer = openLineWriter(standardError, (lines) =>
    log.warn({ lines }, 'log lines were lost'),
  )
  const log: Logger & RequestLog = pino({ level, base, serializers: { err: errorForLog } }, writer)
  const head = `{"level":${pino.levels.values['info']},"time":`
  const fields = Object.entries(base)
    .map(([name, value]) => `,"${name}":${value}`)
    .join('')
  /** Formats the line of a request as the logger does, whose general code takes ten times as long. */
  const writeRequestLine = (line: RequestLine) => {
    if (!log.isLevelEnabled('info')) return
    const { operation, status, code, durationMs, interactionId } = line
    const failure = code === undefined ? '' : `,"code":"${code}"`
    writer.write(
      `${head}${Date.now()}${fields},"operation":"${operation}","status":${status}${failure},"durationMs":${durationMs},"interactionId":"${interactionId}","msg":"${requestMessage}"}\n`,
    )
  }
  return { log: Object.assign(log, isTraced ? {} : { writeRequestLine }), writer }
}

/** The caller's logger, with errors as in our own logs. */
export function withErrorsForLog(log: Logger): Logger {
  return log.child({}, { serializers: { err: errorForLog } })
}

/**
 * Type, codes and stack of an error. The message is omitted, because it may contain data of a request or of the
 * database, except for our own error classes, whose messages never do. What caused an error of a source is not ours,
 * whatever its name is.
 */
export function errorForLog(error: unknown): unknown {
  try {
    return describeError(error, 0, false)
  } catch {
    // An error of other code may have members that throw.
    return { type: 'Error' }
  }
}

function describeError(error: unknown, depth: number, isForeign: boolean): unknown {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name, message, stack, cause, code, errcode } = error as CodedError
  const isSafe = !isForeign && /^(Contract|Database|Source)Error$/.test(name)
  return {
    type: /^\w{1,64}$/.test(name) ? name : 'Error',
    ...(isSafe && { message }),
    ...(isCode(code) && { code }),
    ...(isCode(errcode) && { errcode }),
    stack: framesIn(stack, message),
    ...(cause !== undefined &&
      depth < causesMax && {
        cause: describeError(cause, depth + 1, isForeign || name === 'SourceError'),
      }),
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

/** Without the message, which may have lines that look like frames. Any code of a process may change what a stack is. */
function framesIn(stack: unknown, message: unknown): string[] {
  if (typeof stack !== 'string' || typeof message !== 'string') return []
  return stack
    .slice(stack.indexOf(message) + message.length)
    .split('\n')
    .filter((line) => /^ {4}at .*:\d+:\d+\)?$/.test(line))
    .slice(0, framesMax)
    .map((line) => line.trim())
}
