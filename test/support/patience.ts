import { setTimeout as wait } from 'node:timers/promises'
import type { HttpLimits } from '../../src/http/limits.ts'

/** Longer than a test takes on any machine. */
export const patientMs = 3_600_000

/** Longer than a call with a timeout of seconds takes on any machine. */
const boundMs = 5 * 60_000

/** Rejects if a call that must end in seconds takes minutes: its timeout does not work. */
export async function inTime<Result>(call: Promise<Result>): Promise<Result> {
  const ended = new AbortController()
  const late = wait(boundMs, undefined, ended).then(() => {
    throw new Error(`did not end in ${boundMs} ms`)
  })
  try {
    return await Promise.race([call, late])
  } finally {
    ended.abort()
  }
}

/** Limits of a server that rejects no request because the machine is busy. */
export const patientLimits: Partial<HttpLimits> = {
  requestTimeoutMs: patientMs,
  handlerTimeoutMs: patientMs,
  writeTimeoutMs: patientMs,
  latencyTargetMs: patientMs,
  overloadAfterMs: patientMs,
}
