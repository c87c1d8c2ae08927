import {
  type AccountKind,
  findPageRecords,
  locateAccounts,
  type Operation,
} from '../contract/index.ts'
import { isObject, type Node } from '../contract/schema.ts'
import { describeDifference } from './compare.ts'
import type { CheckContext } from './context.ts'
import type { HttpResponse } from './http-client.ts'
import { skip, skipAll } from './outcome.ts'
import { resolveName } from './parameters.ts'

export type Fields = Record<string, unknown>

/** A paged list of the interface. */
export interface PagedList {
  readonly operation: Operation
  readonly ref: string
  /** The member of `data` with the records. */
  readonly field: string
  readonly kind: AccountKind
  readonly parent: 'customer' | 'account' | 'accounts'
  /** The unit of its time bounds, if it has any. */
  readonly bounds: 'time' | 'date' | undefined
  readonly record: RecordFacts
}

/** What the checks need to know about a record, and its schema does not say. */
interface RecordFacts {
  /** The paths of the fields that identify it. If empty, the interface defines no id, and whole records are compared. */
  readonly key: readonly string[]
  /** The path of the account that it belongs to. */
  readonly account: string
  /** How it states its effective time: see `times.ts`. */
  readonly time?: 'instant' | 'date' | 'local'
  /** An account may lack it: a request that names the account is then rejected. */
  readonly mayBeMissing?: true
}

const account = 'accountId'

/** By the name of the schema. */
const recordFacts = new Map<string, RecordFacts>([
  ['BankingAccount', { key: [account], account }],
  ['BankingBalance', { key: [account], account, mayBeMissing: true }],
  ['BankingTransaction', { key: [account, 'transactionId'], account, time: 'instant' }],
  ['DirectDebit', { key: [], account }],
  [
    'ScheduledPayment',
    { key: ['from.accountId', 'scheduledPaymentId'], account: 'from.accountId' },
  ],
  ['EnergyAccount', { key: [account], account }],
  ['EnergyAccountDetail', { key: [account], account }],
  ['EnergyBillingTransaction', { key: [], account, time: 'local' }],
  ['EnergyInvoice', { key: [account, 'invoiceNumber'], account, time: 'date' }],
])

/** Undefined if the response of the operation is not paged. Throws if the checks lack facts about a paged list. */
export function toPagedList(operation: Operation): PagedList | undefined {
  const page = findPageRecords(operation.response)
  if (!page) return undefined
  const { ref, query, accountKinds = [] } = operation
  const [kind, ...otherKinds] = accountKinds
  if (!kind || otherKinds.length > 0) {
    throw new TypeError(`${ref}: accountKinds of a paged list must have one kind`)
  }
  const location = locateAccounts(operation)
  const bounds = (['time', 'date'] as const).find((unit) => `oldest-${unit}` in query.properties)
  const record = findRecordFacts(ref, page.items)
  if (bounds && !record.time) {
    throw new TypeError(
      `${ref}: recordFacts in paged-list.ts must have a time, for its time bounds`,
    )
  }
  return {
    operation,
    ref,
    field: page.field,
    kind,
    parent: location === 'body' ? 'accounts' : location === 'path' ? 'account' : 'customer',
    bounds,
    record,
  }
}

function findRecordFacts(ref: string, { name, anyOf }: Node): RecordFacts {
  const schema = name ?? anyOf?.[0]?.name ?? ''
  const facts = recordFacts.get(schema)
  if (!facts) throw new TypeError(`${ref}: recordFacts in paged-list.ts has no entry for ${schema}`)
  return facts
}

export function findPagedLists(context: CheckContext): PagedList[] {
  return context.operations.flatMap((operation) => toPagedList(operation) ?? [])
}

/** The lists whose request names accounts in its body. */
export function findListsByBody(context: CheckContext): PagedList[] {
  return findPagedLists(context).filter(({ parent }) => parent === 'accounts')
}

export function requireList(context: CheckContext, ref: string): PagedList {
  const operation = context.operation(ref)
  return (operation && toPagedList(operation)) ?? skipAll(`${ref} is left out intentionally`)
}

export function hasParameter({ operation }: PagedList, name: string): boolean {
  return Object.hasOwn(operation.query.properties, name)
}

/** A text that is equal for two records if and only if they are the same record. */
export function readKey({ record: { key } }: PagedList, record: Fields): string {
  return key.length > 0
    ? key.map((path) => readPath(record, path)).join(' ')
    : JSON.stringify(record)
}

export function readKeys(list: PagedList, records: readonly Fields[]): string[] {
  return records.map((record) => readKey(list, record))
}

/** How two lists of records differ, in any order; undefined if they have the same records. */
export function compareRecords(
  list: PagedList,
  expected: readonly Fields[],
  actual: readonly Fields[],
): string | undefined {
  return describeDifference(readKeys(list, expected), readKeys(list, actual))
}

/** The account that a record belongs to. */
export function readAccountId({ record: { account } }: PagedList, record: Fields): unknown {
  return readPath(record, account)
}

/** The value at a path of field names, separated by dots. */
export function readPath(record: Fields, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), record)
}

/** Bounds that include every record. */
export function buildUnboundedQuery(
  context: CheckContext,
  { ref, bounds }: PagedList,
): Record<string, string> {
  if (!bounds) return {}
  const name = (parameter: string) => resolveName(context.options.parameters, ref, parameter)
  const time = bounds === 'time' ? 'T00:00:00Z' : ''
  // A date, so that all checks of a run read the same list.
  const future = Temporal.Now.plainDateISO('UTC').add({ years: 10 })
  return {
    [name(`oldest-${bounds}`)]: `1970-01-01${time}`,
    [name(`newest-${bounds}`)]: `${future}${time}`,
  }
}

export function readRecords({ field }: PagedList, { body }: HttpResponse): Fields[] {
  const records = readMembers(body, 'data')[field]
  return Array.isArray(records) ? records.filter(isObject) : []
}

/** The members of an object in a body; none if it has no such object. */
export function readMembers(body: unknown, name: string): Fields {
  const value = isObject(body) ? body[name] : undefined
  return isObject(value) ? value : {}
}

export interface Totals {
  readonly totalRecords: number | undefined
  readonly totalPages: number | undefined
}

/** Reads strings as numbers too: their type is the subject of another check. */
export function readTotals({ body }: HttpResponse): Totals {
  const meta = readMembers(body, 'meta')
  const count = (value: unknown) =>
    value === undefined || value === null ? undefined : Number(value)
  return { totalRecords: count(meta['totalRecords']), totalPages: count(meta['totalPages']) }
}

/** Skips the check if there are none: the check of the schema reports that. */
export function requireTotals(response: HttpResponse): Totals {
  const totals = readTotals(response)
  if (totals.totalRecords === undefined || totals.totalPages === undefined) skip('it has no totals')
  return totals
}

export function readLink({ body }: HttpResponse, name: string): string | undefined {
  const link = readMembers(body, 'links')[name]
  return typeof link === 'string' && link !== '' ? link : undefined
}
