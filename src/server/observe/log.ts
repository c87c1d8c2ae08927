import cluster from 'node:cluster'
import { type Logger, type LoggerOptions, pino } from 'pino'
import { type RequestLine, type RequestLog, requestMessage } from '../../http/request-log.ts'
import { type LineWriter, openLineWriter } from './line-writer.ts'

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
export function openLog(level: string): Log {
  const writer = openLineWriter(standardError, (lines) =>
    log.warn({ lines }, 'log lines were lost'),
  )
  const log = openLogger({ level, base: { worker: cluster.worker?.id ?? 0 } }, writer)
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
export function openEmbeddedLog(level: string): Pick<Log, 'log' | 'close'> {
  const writer = openLineWriter(standardError, (lines) =>
    log.warn({ lines }, 'log lines were lost'),
  )
  const log = openLogger({ level, base: null }, writer)
  return { log, close: async () => void (await writer.close(closeMs)) }
}

function openLogger(options: LoggerOptions, writer: LineWriter): Logger & RequestLog {
  const log = pino({ ...options, serializers: { err: errorForLog } }, writer)
  return Object.assign(log, { writeRequestLine: createRequestLineWriter(log, writer) })
}

/**
 * Formats the line of a request as the logger does, whose general code takes ten times as long. Undefined if something
 * else adds fields to every line, such as the instrumentation of traces.
 */
function createRequestLineWriter(log: Logger, writer: LineWriter): RequestLog['writeRequestLine'] {
  const { chindingsSym, lsCacheSym, mixinSym } = pino.symbols
  if (Reflect.get(log, mixinSym)) return undefined
  if (!log.isLevelEnabled('info')) return () => {}
  const head = Reflect.get(log, lsCacheSym)[pino.levels.values['info'] ?? 0]
  const bindings = Reflect.get(log, chindingsSym)
  return ({ operation, status, durationMs, interactionId }: RequestLine) =>
    writer.write(
      `${head},"time":${Date.now()}${bindings},"operation":"${operation}","status":${status},"durationMs":${durationMs},"interactionId":"${interactionId}","msg":"${requestMessage}"}\n`,
    )
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
  const isOurs = !isForeign && /^(Contract|Database|Source)Error$/.test(name)
  return {
    type: /^\w{1,64}$/.test(name) ? name : 'Error',
    ...(isOurs && { message }),
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
