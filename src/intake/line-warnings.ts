import { findRecordFaults, type Problem, type RecordType } from '../contract/index.ts'
import { findProductWarnings } from '../contract/product-warnings.ts'
import { isObject } from '../contract/schema.ts'
import type { ValidLine } from './line.ts'
import { recordTypeOf } from './record-type.ts'
import type { AccountGaps, AccountItem } from './writer.ts'

/** What is noticed about valid lines. */
export interface LineWarnings {
  /** Unknown fields that were left out. */
  readonly leftOut: LeftOutFields
  /** The number of lines with a customer that C1 cannot find by any address. */
  readonly customersWithoutEmail: number
  /** The number of lines with an account that lists fewer users than it has holders. */
  readonly accountsWithoutUsers: number
  readonly faults: readonly RecordFaults[]
  /** Values of products that are seldom meant. */
  readonly unlikely: readonly RecordFaults[]
}

export interface LeftOutFields {
  readonly total: number
  /** The number of times by field, for the first `leftOutNamesMax` fields. Elements of lists are counted together. */
  readonly byField: ReadonlyMap<string, number>
}

/** What the Consumer Data Standards do not allow in records of a type, or what is seldom meant there. */
export interface RecordFaults {
  readonly type: RecordType
  /** Elements of lists are counted together. */
  readonly path: string
  readonly reason: string
  /** The number of records. */
  readonly count: number
  /** The accounts, if the records were counted with their ids. */
  readonly examples: Examples
}

/** The first customers or accounts of a finding, by id. */
export interface Examples {
  readonly ids: readonly string[]
  readonly hasMore: boolean
}

/** How many different fields are counted separately: the names come from the input. */
const leftOutNamesMax = 1000

export function openLineWarnings() {
  let total = 0
  let customersWithoutEmail = 0
  let accountsWithoutUsers = 0
  const byField = new Map<string, number>()
  const faults = openFaultCounter()
  const unlikely = openFaultCounter()
  const countLeftOut = (path: string): void => {
    total += 1
    const field = withoutIndexes(path)
    const count = byField.get(field) ?? 0
    if (count > 0 || byField.size < leftOutNamesMax) byField.set(field, count + 1)
  }
  return {
    add({ item, record, leftOut }: ValidLine): void {
      if (item.type === 'customer' && !item.email && item.emails.length === 0) {
        customersWithoutEmail += 1
      }
      if (item.type === 'account' && hasFewUsers(item.holders, record)) accountsWithoutUsers += 1
      for (const path of leftOut) countLeftOut(path)
      if (record === undefined) return
      const type = recordTypeOf(item)
      faults.add(type, findRecordFaults(type, record))
      if (isObject(record) && type === 'product') unlikely.add(type, findProductWarnings(record))
    },
    result: (): LineWarnings => ({
      leftOut: { total, byField },
      customersWithoutEmail,
      accountsWithoutUsers,
      faults: faults.result(),
      unlikely: unlikely.result(),
    }),
  }
}

/** How many ids each kind of fault has. */
const examplesMax = 20

/** Counts the faults of records. There are as many kinds of them as there are rules. */
export function openFaultCounter() {
  const counters = new Map<string, CountedFaults>()
  return {
    add(type: RecordType, found: Iterable<Problem>, id?: string): void {
      const counted = new Set<CountedFaults>()
      for (const { path, reason } of found) {
        const field = withoutIndexes(path)
        const counter = counters.getOrInsertComputed(`${type} ${field} ${reason}`, () => {
          return { type, path: field, reason, count: 0, examples: { ids: [], hasMore: false } }
        })
        counted.add(counter)
      }
      for (const counter of counted) {
        counter.count += 1
        if (id !== undefined) counter.examples = withExample(counter.examples, id)
      }
    },
    /** The most frequent ones first. */
    result: (): RecordFaults[] => [...counters.values()].sort((a, b) => b.count - a.count),
  }
}

interface CountedFaults extends RecordFaults {
  count: number
  examples: Examples
}

/** Records of one account follow each other. */
export function withExample({ ids, hasMore }: Examples, id: string): Examples {
  if (hasMore || ids.at(-1) === id) return { ids, hasMore }
  return ids.length < examplesMax ? { ids: [...ids, id], hasMore } : { ids, hasMore: true }
}

/** Of a joint account, every holder is a user. */
export function hasFewUsers(holders: AccountItem['holders'], record: unknown): boolean {
  if (holders.length < 2 || !isObject(record)) return false
  const { users } = record
  return (Array.isArray(users) ? users.length : 0) < holders.length
}

/** Whether a strict load is rejected. Fields are left out on request. */
export function hasWarnings(
  { customersWithoutEmail, accountsWithoutUsers, faults, unlikely }: LineWarnings,
  { withoutBalance, withoutContact }: AccountGaps,
): boolean {
  const accounts = accountsWithoutUsers + withoutBalance + withoutContact
  return customersWithoutEmail + accounts + faults.length + unlikely.length > 0
}

function withoutIndexes(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '')
}
