import {
  BankingBalance,
  formatProblem,
  listErrors,
  locateAccounts,
  type Operation,
  type PageRequest,
  providerOperations,
  type RestrictionReason,
  restrictionReasons,
} from '../../contract/index.ts'
import { validator } from '../../contract/validate.ts'
import { missingErrors, type ProviderOperationId } from '../handler.ts'
import type { Missing, Page } from '../store.ts'
import { SourceError } from './source-error.ts'

/** Functions that read what a source answered, which may be anything. */

export function readPage(
  id: ProviderOperationId,
  answer: unknown,
  { page, pageSize }: PageRequest,
): Page<string> | Missing {
  const notFound = readMissing(id, answer)
  if (notFound) return notFound
  const { items, total } = readFields(id, answer)
  if (!Array.isArray(items)) throw new SourceError(`${id}: items is not an array`)
  if (typeof total !== 'number' || !Number.isSafeInteger(total) || total < 0) {
    throw new SourceError(`${id}: total is not a whole number`)
  }
  if (items.length > pageSize) throw new SourceError(`${id}: more items than pageSize`)
  // The records may have been counted before they were read, and others added in between.
  const read = items.length > 0 ? (page - 1) * pageSize + items.length : 0
  return { items: writeRecords(id, items), total: Math.max(total, read) }
}

/** The `isQueryParamUnsupported` of a page. */
export function readUnsupported(id: ProviderOperationId, answer: unknown): boolean {
  const { isQueryParamUnsupported: flag = false } = readFields(id, answer)
  if (typeof flag === 'boolean') return flag
  throw new SourceError(`${id}: isQueryParamUnsupported is not a boolean`)
}

export function readList(id: ProviderOperationId, answer: unknown): string[] {
  if (Array.isArray(answer)) return writeRecords(id, answer)
  throw new SourceError(`${id}: the answer is not an array`)
}

export function readRecord(id: ProviderOperationId, answer: unknown): string | Missing {
  return readMissing(id, answer) ?? writeRecord(id, readFields(id, answer))
}

/** A balance of which the response is composed, so that its members must be what they are declared to be. */
export function readBalance(id: ProviderOperationId, answer: unknown): string | Missing {
  const record = readRecord(id, answer)
  if (typeof record !== 'string') return record
  const [problem] = validator(BankingBalance).problems(JSON.parse(record), 1)
  if (problem) throw new SourceError(`${id}: ${formatProblem(problem)}`)
  return record
}

export function isWithheld(id: ProviderOperationId, answer: unknown): boolean {
  return readFields(id, answer)['withheld'] === true
}

/** Undefined if the answer has what was asked for. */
export function readMissing(id: ProviderOperationId, answer: unknown): Missing | undefined {
  const fields = readFields(id, answer)
  if (!('missing' in fields)) return undefined
  const { refused } = fields
  const operation: Operation = providerOperations[id]
  const errors = missingErrors[locateAccounts(operation) ?? 'path']
  const possible = listErrors(operation)
  const missing = missingKinds.find((kind) => kind === fields['missing'])
  if (missing === undefined || !possible.includes(errors[missing])) {
    throw new SourceError(`${id}: missing is not something that the query names`)
  }
  if (refused === undefined) return { missing }
  if (missing === 'balance' || missing === 'contact') {
    throw new SourceError(`${id}: a ${missing} cannot be refused, only its account`)
  }
  if (!isRestrictionReason(refused)) {
    throw new SourceError(`${id}: refused is not one of ${restrictionReasons.join(', ')}`)
  }
  return { missing, refused }
}

function isRestrictionReason(value: unknown): value is RestrictionReason {
  return restrictionReasons.some((reason) => reason === value)
}

const missingKinds = Object.keys(missingErrors.path) as Missing['missing'][]

function readFields(id: ProviderOperationId, answer: unknown): Record<string, unknown> {
  if (typeof answer === 'object' && answer !== null) return answer as Record<string, unknown>
  throw new SourceError(`${id}: the answer is ${answer === null ? 'null' : typeof answer}`)
}

/** Not with `map`, which would leave holes in a sparse array. */
function writeRecords(id: ProviderOperationId, records: readonly unknown[]): string[] {
  return Array.from(records, (record) => writeRecord(id, record))
}

/** Members that are undefined are left out, and `toJSON` is used: a Date or a Temporal value becomes its text. */
function writeRecord(id: ProviderOperationId, record: unknown): string {
  let text: string | undefined
  try {
    text = JSON.stringify(record)
  } catch (cause) {
    throw new SourceError(`${id}: a record cannot be written as JSON`, { cause })
  }
  if (text?.startsWith('{')) return text
  throw new SourceError(`${id}: a record is not an object`)
}
