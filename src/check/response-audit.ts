import { isObject } from '../contract/schema.ts'
import type { HttpResponse } from './http-client.ts'
import { findResponseFaults } from './response-faults.ts'
import type { AccountVersion, Fault } from './response-schema.ts'

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
    const faults = findResponseFaults(operation, text, body, version)
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
