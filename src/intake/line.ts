import type { TSchema } from 'typebox'
import {
  BankingAccountV3,
  detectAccountVersion,
  entryBytesMax,
  findPathBeforeUpgrade,
  nestingMax,
  normalizer,
  type Problem,
  printable,
  problemsMax,
  type RecordType,
  type RemoveUnknownFields,
  recordBytesMax,
  recordTypes,
  unknownFieldReason,
  unknownFieldRemover,
  upgradeAccount,
} from '../contract/index.ts'
import { findRepeatedMember, isNestedDeeper, parseMembers } from '../contract/json-text.ts'
import { parseJson } from '../contract/parse-json.ts'
import { findNul } from '../contract/problems.ts'
import { isObject } from '../contract/schema.ts'
import { validator } from '../contract/validate.ts'
import { findHolderProblems } from './holders.ts'
import { validateEnvelope } from './line-schema.ts'
import { type Line, toItem, toRemoval } from './to-item.ts'
import type { Item, LineProblem } from './writer.ts'

/** A valid line, or at most `problemsMax` problems. */
type LineResult = ValidLine | { readonly problems: readonly LineProblem[] }

export interface ValidLine {
  readonly item: Item
  /** Undefined if the line has none. */
  readonly record: unknown
  /** The paths of the fields that were left out. */
  readonly leftOut: readonly string[]
  /** Whether the line says that it may refer to what does not exist. */
  readonly isUnresolved: boolean
}

/** What happens to fields of a record that its schema does not have. */
export type UnknownFields = 'reject' | 'drop'

interface RecordReader {
  readonly normalize: (value: unknown) => unknown
  readonly validate: (value: unknown, problemsMax: number) => Problem[]
}

interface ReadRecord {
  readonly record: unknown
  readonly problems: readonly LineProblem[]
  /** The paths of unknown fields. */
  readonly leftOut: readonly string[]
}

/** One more than is reported, to detect that there are more. */
const problemsFoundMax = problemsMax + 1

/** A contact with the status RESTRICTED may have no record. */
const noRecord = { record: undefined, problems: [], leftOut: [] }

/** Reads and validates one line: `{"type": …, "record": {…}}` or `{"type": …, "delete": {…}}`. */
export function readLine(text: string, unknownFields: UnknownFields = 'reject'): LineResult {
  if (isNestedDeeper(text, nestingMax)) {
    return reject([{ path: '', reason: `must not be nested deeper than ${nestingMax} levels` }])
  }
  const line = parseJson(text)
  if (!isObject(line)) return reject([{ path: '', reason: 'must be a JSON object' }])
  const { type } = line
  if (!isRecordType(type)) {
    const reason = `must be one of ${Object.keys(recordTypes).join(', ')}`
    return reject([{ path: 'type', reason }])
  }
  const input = line['record']
  const isRemoval = 'delete' in line
  const { record, problems, leftOut } =
    isRemoval || input === undefined ? noRecord : readRecord(type, input, unknownFields)
  const holderProblems = isRemoval ? [] : findHolderProblems(line['holders'], record)
  const envelopeProblems = validateEnvelope(type, line, problemsFoundMax)
  const isReported = ({ path }: Problem) =>
    [...envelopeProblems, ...problems].some((problem) => problem.path === path)
  // What is invalid may be long, and is not stored.
  const isValid = envelopeProblems.length + problems.length === 0
  const canonicalText = isValid ? canonicalRecordText(text, type, input) : undefined
  const isCanonical = canonicalText !== undefined || (isValid && JSON.stringify(line) === text)
  // All problems are reported together, so that one correction is enough.
  const lineProblems: LineProblem[] = [
    ...envelopeProblems,
    ...findRepetition(text, isCanonical),
    ...problems,
    ...[...holderProblems, ...findNulInLine(text, line, record)].filter(
      (problem) => !isReported(problem),
    ),
  ]
  if (lineProblems.length > 0) return reject(lineProblems)
  if (isRemoval) {
    const key = readKey(type, line['delete'] as object, unknownFields)
    const item = toRemoval(type, key, line as Line)
    return { item, record: undefined, leftOut, isUnresolved: false }
  }

  const storedText =
    record === input ? (canonicalText ?? memberText(text, 'record')) : JSON.stringify(record)
  const item = toItem(type, line as Line, record, storedText)
  const storageProblems = findStorageProblems(item, storedText)
  if (storageProblems.length > 0) return reject(storageProblems)
  return { item, record, leftOut, isUnresolved: line['unresolved'] === true }
}

/** JSON has one spelling of U+0000, so that most lines need no search. */
function findNulInLine(text: string, line: object, record: unknown): Problem[] {
  if (!text.includes('\\u0000')) return []
  return [...findNul({ ...line, record: undefined }), ...findNul(record)]
}

/** A canonical text, equal to its parsed and stringified form, cannot repeat a member. */
function findRepetition(text: string, isCanonical: boolean): Problem[] {
  const name = isCanonical ? undefined : findRepeatedMember(text)
  return name === undefined
    ? []
    : [{ path: printable(name), reason: 'appears twice in one object' }]
}

/** Finds limits of the store that a valid record exceeds. */
function findStorageProblems(item: Item, text: string): Problem[] {
  const bytesMax = item.type === 'entry' ? entryBytesMax : recordBytesMax
  const stored = item.type === 'product' ? item.content.record : text
  return [
    ...(isLonger(stored, bytesMax)
      ? [{ path: 'record', reason: `must be at most ${bytesMax} bytes of JSON` }]
      : []),
    ...(isStorable(item)
      ? []
      : [{ path: '', reason: 'has a time outside the years 1678 to 2261' }]),
  ]
}

/** A UTF-16 code unit is at most three bytes of UTF-8; most texts need not be measured. */
function isLonger(text: string, bytesMax: number): boolean {
  return text.length * 3 > bytesMax && Buffer.byteLength(text) > bytesMax
}

/** The record's text if the line has no other envelope fields and the text is canonical: a fast path that needs no scan. */
function canonicalRecordText(text: string, type: RecordType, record: unknown): string | undefined {
  const head = `{"type":"${type}","record":`
  if (!text.startsWith(head)) return undefined
  const canonical = JSON.stringify(record)
  return canonical === text.slice(head.length, -1) ? canonical : undefined
}

/** Times are stored as nanoseconds in 64 bits. */
function isStorable(item: Item): boolean {
  const time = item.type === 'entry' ? item.time : item.type === 'account' ? item.created : 0n
  return time === undefined || BigInt.asIntN(64, time) === time
}

/**
 * Normalizes and validates a record. A valid one has no unknown fields, so they are searched for only if there are
 * problems.
 */
function readRecord(type: RecordType, input: unknown, unknownFields: UnknownFields): ReadRecord {
  const result = readKnownFields(type, input)
  const isRelevant =
    unknownFields === 'drop'
      ? result.problems.length > 0
      : result.problems.some(({ reason }) => reason === unknownFieldReason)
  if (!isRelevant) return { ...result, leftOut: [] }
  const paths: string[] = []
  const known = getRemover(type)(input, (path) => paths.push(path))
  if (unknownFields === 'drop') return { ...readKnownFields(type, known), leftOut: paths }
  const unknown = new Set(paths)
  const problems = result.problems.map((problem) =>
    unknown.has(problem.path) ? { ...problem, isUnknownField: true as const } : problem,
  )
  return { record: result.record, problems, leftOut: [] }
}

/** A key that is the record itself must equal the record as it was stored. */
function readKey(type: RecordType, key: object, unknownFields: UnknownFields): object {
  if (unknownFields !== 'drop' || !('record' in key)) return key
  return { ...key, record: getRemover(type)(key.record, () => {}) }
}

/** Normalizes a record to the contract's field names and version, and validates it. */
function readKnownFields(
  type: RecordType,
  input: unknown,
): { record: unknown; problems: Problem[] } {
  const { normalize, validate } = getReader(recordTypes[type])
  const record = normalize(input)
  const problems = validate(record, problemsFoundMax)
  if (problems.length === 0 || type !== 'banking.account') return { record, problems }

  // Only an invalid version 4 record is tried as version 3: nearly all records are version 4.
  const upgraded = upgradeAccount(record as BankingAccountV3)
  const upgradedProblems = validate(upgraded, problemsFoundMax)
  if (upgradedProblems.length === 0) return { record: upgraded, problems: [] }
  return { record, problems: accountProblems(input, problems, upgradedProblems) }
}

/** Problems in terms of the version that the account was written in. */
function accountProblems(
  input: unknown,
  problems: Problem[],
  upgradedProblems: readonly Problem[],
): Problem[] {
  const version = detectAccountVersion(input)
  if (version === 4) return problems
  const { normalize, validate } = getReader(BankingAccountV3)
  const version3Problems = version === 3 ? validate(normalize(input), problemsFoundMax) : []
  if (version3Problems.length > 0) return version3Problems
  return upgradedProblems.map(({ path, reason }) => ({
    path: findPathBeforeUpgrade(path, input),
    reason,
  }))
}

const readers = new Map<TSchema, RecordReader>()

/** Created lazily: most data has no version 3 record. */
function getReader(schema: TSchema): RecordReader {
  return readers.getOrInsertComputed(schema, () => ({
    normalize: normalizer(schema),
    validate: validator(schema).problems,
  }))
}

const removers = new Map<RecordType, RemoveUnknownFields>()

/** Fields of either version of a banking account are known: leaving out a price would hide an error. */
function getRemover(type: RecordType): RemoveUnknownFields {
  return removers.getOrInsertComputed(type, () => {
    const earlier = type === 'banking.account' ? [BankingAccountV3] : []
    return unknownFieldRemover(recordTypes[type], ...earlier)
  })
}

function memberText(line: string, name: string): string {
  const member = parseMembers(line).find((each) => each.name === name)
  return member ? line.slice(member.valueStart, member.end) : ''
}

export function isRecordType(value: unknown): value is RecordType {
  return typeof value === 'string' && Object.hasOwn(recordTypes, value)
}

function reject(problems: readonly LineProblem[]): LineResult {
  if (problems.length <= problemsMax) return { problems }
  const rest = { path: '', reason: `has more errors than these ${problemsMax}` }
  return { problems: [...problems.slice(0, problemsMax), rest] }
}
