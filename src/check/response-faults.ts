import type { Operation } from '../contract/index.ts'
import { findRepeatedMember } from '../contract/json-text.ts'
import { printable } from '../contract/problems.ts'
import { asNode } from '../contract/schema.ts'
import { validator } from '../contract/validate.ts'
import {
  type AccountVersion,
  type Fault,
  findFaults,
  hasAccountVersions,
} from './response-schema.ts'

const checks = new Map<Operation, (value: unknown) => boolean>()

/** A fast check with a compiled validator: most responses have no fault. */
function isExact(operation: Operation, body: unknown): boolean {
  if (!operation.response || hasAccountVersions(asNode(operation.response))) return false
  const check = checks.get(operation) ?? validator(operation.response).check
  checks.set(operation, check)
  return check(body)
}

/**
 * The faults of a successful response, remarks included, one after another. `body` is the parsed text; undefined if it is
 * not JSON.
 */
export function* findResponseFaults(
  operation: Operation,
  text: string,
  body: unknown,
  version: AccountVersion,
): Generator<Fault, void> {
  if (!operation.response || (text === '' && operation.mayBeEmpty)) return
  if (body === undefined) {
    yield { kind: 'shape', path: '', reason: 'is not JSON' }
    return
  }
  const repeated = findRepeatedMember(text)
  if (repeated !== undefined) {
    const path = printable(repeated)
    yield { kind: 'repetition', reason: 'occurs twice in one object', path, received: path }
  }
  if (!isExact(operation, body)) yield* findFaults(asNode(operation.response), body, version)
}
