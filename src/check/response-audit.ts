import { type Operation, validator } from '../contract/index.ts'
import { asNode, isObject } from '../contract/schema.ts'
import { printable } from '../contract/validate.ts'
import { findRepeatedMember } from '../text/json-text.ts'
import type { Answer } from './http-client.ts'
import { type AccountVersion, type Fault, faultsOf } from './response-schema.ts'

/** Every answer of the run is read by the contract as it comes in; the checks ask what was found. */
export interface ResponseAudit {
  note(answer: Answer): void
  /** Faults of a kind, each once, in all operations or in one. */
  faults(kind: Fault['kind'], ref?: string): readonly Found[]
  /** Successes that were read, by the reference of their operation. */
  readonly read: ReadonlyMap<string, number>
  /** Refusals whose body is not `{error: string}`. */
  readonly wrongErrors: readonly Answer[]
  readonly errorCount: () => number
  /** Content types that successes came with. */
  readonly contentTypes: ReadonlyMap<string, Answer>
}

export interface Found extends Fault {
  readonly ref: string
  readonly answer: Answer
}

const foundMax = 200
const wrongErrorsMax = 20

const checks = new Map<Operation, (value: unknown) => boolean>()

/** Compiled once a process: most answers are right, and that is seen fast. */
function isExact(operation: Operation, body: unknown): boolean {
  // The versions of an account are told apart by the slower way.
  if (!operation.response || operation.ref === 'B1') return false
  const check = checks.get(operation) ?? validator(operation.response).check
  checks.set(operation, check)
  return check(body)
}

export function openResponseAudit(version: AccountVersion): ResponseAudit {
  const found = new Map<string, Found>()
  const read = new Map<string, number>()
  const wrongErrors: Answer[] = []
  const contentTypes = new Map<string, Answer>()
  let errorCount = 0

  function noteFault(answer: Answer, fault: Fault): void {
    const { ref } = answer.operation
    const key = `${ref} ${fault.kind} ${fault.path.replaceAll(/\[\d+\]/g, '[]')} ${fault.reason}`
    if (found.size < foundMax && !found.has(key)) found.set(key, { ...fault, ref, answer })
  }

  function noteSuccess(answer: Answer): void {
    const { operation, text, body } = answer
    read.set(operation.ref, (read.get(operation.ref) ?? 0) + 1)
    if (!operation.response || (text === '' && operation.mayBeEmpty)) return
    contentTypes.set(answer.headers['content-type'] ?? 'none', answer)
    if (body === undefined) {
      noteFault(answer, { kind: 'shape', path: '', reason: 'is not JSON' })
      return
    }
    const repeated = findRepeatedMember(text)
    if (repeated !== undefined) {
      const path = printable(repeated)
      noteFault(answer, { kind: 'repetition', path, reason: 'is given twice in one object' })
    }
    if (isExact(operation, body)) return
    const faults = faultsOf(asNode(operation.response), body, version)
    for (const fault of faults) noteFault(answer, fault)
  }

  return {
    note(answer) {
      if (answer.isSuccess) noteSuccess(answer)
      else if (answer.status >= 400) {
        errorCount += 1
        if (!hasErrorBody(answer) && wrongErrors.length < wrongErrorsMax) wrongErrors.push(answer)
      }
    },
    faults: (kind, ref) =>
      [...found.values()].filter(
        (fault) => fault.kind === kind && (ref === undefined || fault.ref === ref),
      ),
    read,
    wrongErrors,
    errorCount: () => errorCount,
    contentTypes,
  }
}

function hasErrorBody({ body }: Answer): boolean {
  return isObject(body) && typeof body['error'] === 'string' && body['error'] !== ''
}

export function sentenceOfFault({ ref, path, reason }: Found): string {
  return `${ref}: ${path || 'the answer'} ${reason}`
}
