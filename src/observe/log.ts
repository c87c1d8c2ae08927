import cluster from 'node:cluster'
import type { EventEmitter } from 'node:events'
import { type DestinationStream, type Logger, pino } from 'pino'

/**
 * Lines are gathered and written together, whole and in pieces that a pipe takes at once: so those of several
 * workers never mix.
 */
const gatheredBytes = 3500
const pieceBytes = 4096

/** How long a line waits for others, and how many bytes of them may wait for a reader that does not read. */
const waitMs = 200
const waitingBytesMax = 4 * 1024 * 1024

/** How deep causes are followed, and how many places of the code are told of each. */
const causesMax = 3
const placesMax = 10

/** One JSON object a line, to standard error: standard output is for people. Nothing is lost when the process ends. */
export function openLog(level: string): Logger {
  const destination = pino.destination({
    dest: 2,
    sync: false,
    minLength: gatheredBytes,
    maxWrite: pieceBytes,
    maxLength: waitingBytesMax,
    periodicFlush: waitMs,
  })
  // A disk that is full, or a reader that is gone, must not end the server.
  destination.on('error', () => {})
  const log = pino(
    { level, base: { worker: cluster.worker?.id ?? 0 }, serializers: { err: errorForLog } },
    destination,
  )
  tellOfLostLines(destination, log)
  return log
}

/** A mistake that nobody caught ends the process, with a line like any other: Node's own would have its message. */
export function logCrashes(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'ended by a mistake')
    process.exit(1)
  })
}

/** Those for which there was no room. */
function tellOfLostLines(destination: DestinationStream & EventEmitter, log: Logger): void {
  let lost = 0
  destination.on('drop', () => {
    lost += 1
  })
  destination.on('drain', () => {
    if (lost === 0) return
    const lines = lost
    lost = 0
    log.warn({ lines }, 'log lines were lost')
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
