import type { HttpLimits } from '../../src/http/limits.ts'

/** Longer than a test takes on any machine. */
export const patientMs = 3_600_000

/** Limits of a server that rejects no request because the machine is busy. */
export const patientLimits: Partial<HttpLimits> = {
  requestTimeoutMs: patientMs,
  handlerTimeoutMs: patientMs,
  writeTimeoutMs: patientMs,
  latencyTargetMs: patientMs,
  overloadAfterMs: patientMs,
}
