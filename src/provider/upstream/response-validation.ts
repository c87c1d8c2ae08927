import { isUtf8 } from 'node:buffer'
import type { FastifyBaseLogger } from 'fastify'
import { findResponseFaults } from '../../check/response-faults.ts'
import type { AccountVersion, Fault } from '../../check/response-schema.ts'
import type { Operation } from '../../contract/index.ts'
import { parseJson } from '../../contract/parse-json.ts'
import type { ValidationOutcome } from './validation-modes.ts'

interface ResponseValidationOptions {
  /** One of this many responses of each operation is selected. */
  readonly sample: number
  readonly accountVersion: AccountVersion
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  readonly onOutcome?: ((operation: Operation, outcome: ValidationOutcome) => void) | undefined
  /** In milliseconds, of a monotonic clock. */
  readonly now?: () => number
}

export interface ResponseValidation {
  /** Whether the next response of the operation is selected; the first of each always is. */
  selects(operation: Operation): boolean
  /** Whether the body of a successful response conforms to the contract. Logs and counts. */
  isValid(operation: Operation, bytes: Buffer): boolean
  /** Counts a selected response that is not checked. */
  skip(operation: Operation): void
}

/** How many faults of a response are found: one that is all wrong must not block the process for seconds. */
const foundMax = 1000

/** How many different faults of an operation are logged in an hour. */
const loggedMax = 10
const loggedMs = 60 * 60_000

export function openResponseValidation({
  sample,
  accountVersion,
  log,
  onOutcome,
  now = () => performance.now(),
}: ResponseValidationOptions): ResponseValidation {
  const counts = new Map<Operation, number>()
  const logged = new Map<Operation, Set<string>>()
  let loggedSince = now()

  const logFaults = (operation: Operation, faults: readonly Fault[]): void => {
    if (now() - loggedSince > loggedMs) {
      logged.clear()
      loggedSince = now()
    }
    const known = logged.get(operation) ?? new Set<string>()
    logged.set(operation, known)
    for (const fault of faults) {
      if (known.size >= loggedMax) return
      const { path, reason } = withoutData(fault)
      if (known.has(`${path} ${reason}`)) continue
      known.add(`${path} ${reason}`)
      log.warn({ operation: operation.ref, path, reason }, 'invalid response of the upstream')
    }
  }

  return {
    selects(operation) {
      const count = counts.get(operation) ?? 0
      counts.set(operation, (count + 1) % sample)
      return count === 0
    },
    isValid(operation, bytes) {
      // Invalid UTF-8 is not JSON, and not empty either.
      const text = isUtf8(bytes) ? bytes.toString() : '\ufffd'
      const faults = findResponseFaults(operation, text, parseJson(text), accountVersion)
        .filter(({ kind }) => kind !== 'remark')
        .take(foundMax)
        .toArray()
      onOutcome?.(operation, faults.length === 0 ? 'valid' : 'invalid')
      logFaults(operation, faults)
      return faults.length === 0
    },
    skip: (operation) => onOutcome?.(operation, 'too large'),
  }
}

/** Names of the contract only: any other name or value may be personal data. */
function withoutData({ kind, path, reason, received }: Fault): Pick<Fault, 'path' | 'reason'> {
  if (received === undefined) return { path: withoutIndexes(path), reason }
  if (kind === 'repetition')
    return { path: '', reason: 'has a field that occurs twice in one object' }
  if (kind === 'union')
    return { path: withoutIndexes(path), reason: 'names a field that is missing' }
  return { path: `${withoutIndexes(path.slice(0, -received.length))}*`, reason }
}

function withoutIndexes(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[*]')
}
