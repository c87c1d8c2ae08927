import type { TSchema } from 'typebox'
import {
  BankingAccountV3,
  legible,
  type Problem,
  type RecordType,
  recordTypes,
  speller,
  upgradeAccount,
  validator,
} from '../contract/index.ts'
import type { Item } from '../provider/writer.ts'
import { membersOf, repeatedMember } from '../text/json-text.ts'
import { itemOf, type Line, removalOf } from './item.ts'
import { lineProblems } from './line-shape.ts'

/** A line as the store takes it, or everything that is wrong with it. */
export type LineResult = { readonly item: Item } | { readonly problems: readonly Problem[] }

interface Reader {
  readonly respell: (value: unknown) => unknown
  readonly problems: (value: unknown) => Problem[]
}

const readers = new Map<RecordType, Reader>()

/** A restricted account's contact may come without a record. */
const bare = { record: undefined, problems: [] }

/** Reads one line of data: `{"type": …, "record": {…}}`, or `{"type": …, "delete": {…}}`. */
export function readLine(text: string): LineResult {
  const line = parse(text)
  if (!isObject(line)) return refused('', 'must be a JSON object')
  const { type } = line
  if (!isRecordType(type)) {
    return refused('type', `must be one of ${Object.keys(recordTypes).join(', ')}`)
  }
  const problems = lineProblems(type, line)
  if (problems.length > 0) return { problems }
  // A text that is what its content would be written as cannot say anything twice.
  const plain = plainRecord(text, type, line['record'])
  const isPlain = plain !== undefined || JSON.stringify(line) === text
  const twice = isPlain ? undefined : repeatedMember(text)
  if (twice !== undefined) return refused(legible(twice), 'is there twice in one object')
  if ('delete' in line) return { item: removalOf(type, line['delete'] as object, line as Line) }

  const given = line['record']
  const { record, problems: wrong } = given === undefined ? bare : judge(type, given)
  if (wrong.length > 0) return { problems: wrong }
  const kept = record === given ? (plain ?? textOf(text, 'record')) : JSON.stringify(record)
  const item = itemOf(type, line as Line, record, kept)
  return isStorable(item) ? { item } : refused('', 'has a time outside the years 1678 to 2261')
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
  const wrong = problems(spelled)
  if (wrong.length === 0 || type !== 'banking.account') return { record: spelled, problems: wrong }

  // Version 3 is tried only on what is not version 4: nearly every record is.
  const upgraded = upgradeAccount(spelled as BankingAccountV3)
  if (problems(upgraded).length === 0) return { record: upgraded, problems: [] }
  const asVersionThree = versionThree().problems(spelled)
  const fewer = asVersionThree.length < wrong.length ? asVersionThree : wrong
  return { record: spelled, problems: fewer.length > 0 ? fewer : problems(upgraded) }
}

/** Made when it is first needed: most data has no record of version 3. */
const versionThree = once(() => validator(BankingAccountV3))

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
  const schema: TSchema = recordTypes[type]
  const reader = { respell: speller(schema), problems: validator(schema).problems }
  readers.set(type, reader)
  return reader
}

function textOf(line: string, name: string): string {
  const member = membersOf(line).find((each) => each.name === name)
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

function refused(path: string, reason: string): LineResult {
  return { problems: [{ path, reason }] }
}
