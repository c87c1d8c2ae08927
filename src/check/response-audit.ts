import { type Operation, validator } from '../contract/index.ts'
import { printable } from '../contract/problems.ts'
import { asNode, isObject } from '../contract/schema.ts'
import { findRepeatedMember } from '../text/json-text.ts'
import type { HttpResponse } from './http-client.ts'
import {
  type AccountVersion,
  type Fault,
  findFaults,
  hasAccountVersions,
} from './response-schema.ts'

/** Validates every response of the run against the contract. Checks query the faults that it found. */
export interface ResponseAudit {
  note(response: HttpResponse): void
  /** The distinct faults of a kind, in all operations or in one. */
  faults(kind: Fault['kind'], ref?: string): readonly Found[]
  /** The number of successful responses by the reference of the operation. */
  readonly read: ReadonlyMap<string, number>
  /** Rejections whose body is not `{error: string}`. */
  readonly wrongErrors: readonly HttpResponse[]
  readonly errorCount: () => number
  /** The content types of successful responses, each with an example. */
  readonly contentTypes: ReadonlyMap<string, HttpResponse>
}

export interface Found extends Fault {
  readonly ref: string
  readonly response: HttpResponse
}

const foundMax = 200
const wrongErrorsMax = 20

const validators = new Map<Operation, (value: unknown) => boolean>()

/** A fast check with a compiled validator: most responses have no fault. */
function isExact(operation: Operation, body: unknown): boolean {
  if (!operation.response || hasAccountVersions(asNode(operation.response))) return false
  const check = validators.get(operation) ?? validator(operation.response).check
  validators.set(operation, check)
  return check(body)
}

export function openResponseAudit(version: AccountVersion): ResponseAudit {
  const found = new Map<string, Found>()
  const read = new Map<string, number>()
  const wrongErrors: HttpResponse[] = []
  const contentTypes = new Map<string, HttpResponse>()
  let errorCount = 0

  function noteFault(response: HttpResponse, fault: Fault): void {
    const { ref } = response.operation
    const key = `${ref} ${fault.kind} ${fault.path.replaceAll(/\[\d+\]/g, '[]')} ${fault.reason}`
    if (found.size < foundMax && !found.has(key)) found.set(key, { ...fault, ref, response })
  }

  function noteSuccess(response: HttpResponse): void {
    const { operation, text, body } = response
    read.set(operation.ref, (read.get(operation.ref) ?? 0) + 1)
    if (!operation.response || (text === '' && operation.mayBeEmpty)) return
    contentTypes.set(response.headers['content-type'] ?? 'none', response)
    if (body === undefined) {
      noteFault(response, { kind: 'shape', path: '', reason: 'is not JSON' })
      return
    }
    const repeated = findRepeatedMember(text)
    if (repeated !== undefined) {
      const path = printable(repeated)
      noteFault(response, { kind: 'repetition', path, reason: 'occurs twice in one object' })
    }
    if (isExact(operation, body)) return
    const faults = findFaults(asNode(operation.response), body, version)
    for (const fault of faults) noteFault(response, fault)
  }

  return {
    note(response) {
      if (response.isSuccess) noteSuccess(response)
      else if (response.status >= 400) {
        errorCount += 1
        if (!hasErrorBody(response) && wrongErrors.length < wrongErrorsMax)
          wrongErrors.push(response)
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

function hasErrorBody({ body }: HttpResponse): boolean {
  return isObject(body) && typeof body['error'] === 'string' && body['error'] !== ''
}

export function formatFault({ ref, path, reason }: Found): string {
  return `${ref}: ${path || 'the response'} ${reason}`
}
