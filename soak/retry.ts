import { setTimeout as wait } from 'node:timers/promises'

/** A response that asks for a later retry. */
class Unavailable extends Error {}

/** Longer than every outage of a run, also on a slow machine. */
const limitMs = 240_000

/** An unanswered request must not block the run. The servers' own timeouts are shorter. */
const requestMaxMs = 60_000

const pauseMs = 20

/** Repeats a request to processes that are killed and restarted until it is answered. */
export async function untilAnswered<Answer>(
  name: string,
  attempt: (attempts: number) => Promise<Answer>,
): Promise<Answer> {
  const start = performance.now()
  let reason: unknown
  for (let attempts = 1; performance.now() - start < limitMs; attempts += 1) {
    try {
      return await withTimeout(attempt(attempts))
    } catch (error) {
      if (!isUnavailable(error)) throw error
      reason = error
    }
    await wait(pauseMs)
  }
  throw new Error(`${name} was not answered within ${limitMs / 1000} s: ${reason}`)
}

/** Throws if a request has to be repeated. */
export function requireAvailable(status: number, text = ''): void {
  if (status === 503) throw new Unavailable(`${status} ${text}`)
}

const connectionErrors = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ETIMEDOUT']

/** Whether a request failed because its server is not available, and not because it is invalid. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '' } = error as NodeJS.ErrnoException
  return (
    error instanceof Unavailable || connectionErrors.includes(code) || isUnavailable(error.cause)
  )
}

async function withTimeout<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const ended = new AbortController()
  const timeout = wait(requestMaxMs, undefined, { signal: ended.signal, ref: false }).then(() => {
    throw new Unavailable(`no response within ${requestMaxMs / 1000} s`)
  })
  timeout.catch(() => {})
  try {
    return await Promise.race([answer, timeout])
  } finally {
    ended.abort()
    answer.catch(() => {})
  }
}
