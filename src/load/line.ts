import type { TSchema } from 'typebox'
import {
  BankingAccountV3,
  detectAccountVersion,
  entryBytesMax,
  findPathBeforeUpgrade,
  normalizer,
  type Problem,
  printable,
  problemsMax,
  type RecordType,
  recordBytesMax,
  recordTypes,
  upgradeAccount,
  validator,
} from '../contract/index.ts'
import { findRepeatedMember, parseMembers } from '../text/json-text.ts'
import { lineProblems } from './line-schema.ts'
import { type Line, toItem, toRemoval } from './to-item.ts'
import type { Item } from './writer.ts'

/** A line as the store takes it, or what is wrong with it: everything, up to a bound. */
export type LineResult = { readonly item: Item } | { readonly problems: readonly Problem[] }

interface Reader {
  readonly respell: (value: unknown) => unknown
  readonly problems: (value: unknown, most: number) => Problem[]
}

/** One more than is reported tells that there are more. */
const problemsSought = problemsMax + 1

const readers = new Map<RecordType, Reader>()

/** A restricted account's contact may come without a record. */
const bare = { record: undefined, problems: [] }

/** Reads one line of data: `{"type": …, "record": {…}}`, or `{"type": …, "delete": {…}}`. */
export function readLine(text: string): LineResult {
  const line = parse(text)
  if (!isObject(line)) return refused([{ path: '', reason: 'must be a JSON object' }])
  const { type } = line
  if (!isRecordType(type)) {
    const reason = `must be one of ${Object.keys(recordTypes).join(', ')}`
    return refused([{ path: 'type', reason }])
  }
  const plain = plainRecord(text, type, line['record'])
  const isRemoval = 'delete' in line
  const given = line['record']
  const { record, problems } = isRemoval || given === undefined ? bare : judge(type, given)
  // All together, so that one correction is enough.
  const wrong = [
    ...lineProblems(type, line, problemsSought),
    ...repetitions(text, plain !== undefined || JSON.stringify(line) === text),
    ...problems,
  ]
  if (wrong.length > 0) return refused(wrong)
  if (isRemoval) return { item: toRemoval(type, line['delete'] as object, line as Line) }

  const kept = record === given ? (plain ?? textOf(text, 'record')) : JSON.stringify(record)
  const item = toItem(type, line as Line, record, kept)
  const unstorable = storageProblems(item, kept)
  return unstorable.length > 0 ? refused(unstorable) : { item }
}

/** A text that is what its content would be written as (`isPlain`) cannot have a member twice. */
function repetitions(text: string, isPlain: boolean): Problem[] {
  const twice = isPlain ? undefined : findRepeatedMember(text)
  return twice === undefined
    ? []
    : [{ path: printable(twice), reason: 'is there twice in one object' }]
}

/** What keeps a valid record from being stored. */
function storageProblems(item: Item, text: string): Problem[] {
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

/** No character has more than three bytes for each of its units. */
function isLonger(text: string, bytesMax: number): boolean {
  return text.length * 3 > bytesMax && Buffer.byteLength(text) > bytesMax
}

/** The record's text, where the line has nothing beside it and is what its content would be written as. */
function plainRecord(text: string, type: RecordType, record: unknown): string | undefined {
  const head = `{"type":"${type}","record":`
  if (!text.startsWith(head)) return undefined
  const written = JSON.stringify(record)
  return written === text.slice(head.length, -1) ? written : undefined
}

/** Times are kept in nanoseconds, in 64 bits. */
function isStorable(item: Item): boolean {
  const time = item.type === 'entry' ? item.time : item.type === 'account' ? item.created : 0n
  return time === undefined || BigInt.asIntN(64, time) === time
}

/** The record in the contract's own spelling and version, and what is wrong with it. */
function judge(type: RecordType, given: unknown): { record: unknown; problems: Problem[] } {
  const { respell, problems } = readerOf(type)
  const spelled = respell(given)
  const wrong = problems(spelled, problemsSought)
  if (wrong.length === 0 || type !== 'banking.account') return { record: spelled, problems: wrong }

  // Version 3 is tried only on what is not version 4: nearly every record is.
  const upgraded = upgradeAccount(spelled as BankingAccountV3)
  const wrongUpgraded = problems(upgraded, problemsSought)
  if (wrongUpgraded.length === 0) return { record: upgraded, problems: [] }
  return { record: spelled, problems: accountProblems(given, wrong, wrongUpgraded) }
}

/** What is wrong with an account in the version that it is written in, with the fields that it has there. */
function accountProblems(
  given: unknown,
  wrong: Problem[],
  wrongUpgraded: readonly Problem[],
): Problem[] {
  const version = detectAccountVersion(given)
  if (version === 4) return wrong
  const { respell, problems } = versionThree()
  const wrongThree = version === 3 ? problems(respell(given), problemsSought) : []
  if (wrongThree.length > 0) return wrongThree
  return wrongUpgraded.map(({ path, reason }) => ({
    path: findPathBeforeUpgrade(path, given),
    reason,
  }))
}

/** Made when it is first needed: most data has no record of version 3. */
const versionThree = once(() => makeReader(BankingAccountV3))

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function readerOf(type: RecordType): Reader {
  const known = readers.get(type)
  if (known) return known
  const reader = makeReader(recordTypes[type])
  readers.set(type, reader)
  return reader
}

function makeReader(schema: TSchema): Reader {
  return { respell: normalizer(schema), problems: validator(schema).problems }
}

function textOf(line: string, name: string): string {
  const member = parseMembers(line).find((each) => each.name === name)
  return member ? line.slice(member.valueStart, member.end) : ''
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isRecordType(value: unknown): value is RecordType {
  return typeof value === 'string' && Object.hasOwn(recordTypes, value)
}

function refused(problems: readonly Problem[]): LineResult {
  if (problems.length <= problemsMax) return { problems }
  const rest = { path: '', reason: `has more errors than these ${problemsMax}` }
  return { problems: [...problems.slice(0, problemsMax), rest] }
}
