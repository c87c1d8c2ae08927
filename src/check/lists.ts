import type { Operation } from '../contract/index.ts'
import { pageSizeDefault } from '../contract/index.ts'
import { asNode, isObject } from '../contract/schema.ts'
import type { Ask, CheckContext } from './context.ts'
import { accountIdsOf, accountsOf, customersOf } from './customers.ts'
import type { Answer } from './http-client.ts'
import { skip } from './outcome.ts'
import { nameOf } from './parameters.ts'

export type Fields = Record<string, unknown>

/** How far a list is walked, and how many accounts are tried for the best one. */
export const walkPagesMax = 40
const recordsMax = walkPagesMax * pageSizeDefault

/** A list of this length shows everything: longer ones are looked at where there is none. */
const recordsWanted = 10 * pageSizeDefault

const candidatesMax = 8

/** A paged list of the interface, as far as the contract does not say it. */
export interface PagedList {
  readonly operation: Operation
  readonly ref: string
  /** The member of `data` that holds the records. */
  readonly field: string
  readonly kind: 'banking' | 'energy'
  readonly of: 'customer' | 'account' | 'accounts'
}

/** One list of one customer, or of one of the customer's accounts. */
export interface Subject {
  readonly list: PagedList
  readonly customerId: string
  readonly ask: Pick<Ask, 'params' | 'body'>
  /** For reports: `B3 of account a1`. */
  readonly label: string
}

export interface Walk {
  readonly records: readonly Fields[]
  /** Whether the end was reached. */
  readonly isWhole: boolean
  /** What the first page says. */
  readonly total: number | undefined
  readonly answers: readonly Answer[]
}

export function listOf(operation: Operation): PagedList | undefined {
  const { data } = operation.response ? (asNode(operation.response).properties ?? {}) : {}
  const [field] = Object.keys(data?.properties ?? {})
  if (!field || (operation.tag !== 'banking' && operation.tag !== 'energy')) return undefined
  const isOfAccount = operation.path.includes('{accountId}')
  return {
    operation,
    ref: operation.ref,
    field,
    kind: operation.tag,
    of: operation.body ? 'accounts' : isOfAccount ? 'account' : 'customer',
  }
}

export function listsOf(world: CheckContext): PagedList[] {
  return world.operations.flatMap((operation) => listOf(operation) ?? [])
}

/** What tells records of a list apart. Where the interface gives no id, the whole content does. */
export function keyOf({ ref }: PagedList, record: Fields): string {
  switch (ref) {
    case 'B1':
    case 'B2':
    case 'E1':
    case 'E2':
      return String(record['accountId'])
    case 'B3':
      return `${record['accountId']} ${record['transactionId']}`
    case 'B4':
    case 'B6':
      return String(record['scheduledPaymentId'])
    case 'E3':
      return `${record['accountId']} ${record['invoiceNumber']}`
    default:
      return JSON.stringify(record)
  }
}

/** The account that a record says it is of. */
export function accountOf({ ref }: PagedList, record: Fields): unknown {
  if (ref !== 'B4' && ref !== 'B6') return record['accountId']
  return isObject(record['from']) ? record['from']['accountId'] : undefined
}

/** All there is: without bounds a list shows its last months alone. */
export function wholeQuery(world: CheckContext, { ref }: PagedList): Record<string, string> {
  const name = (parameter: string) => nameOf(world.options.parameters, ref, parameter)
  // To the day, so that the same list is not walked twice.
  const future = Temporal.Now.plainDateISO('UTC').add({ years: 10 }).toString()
  switch (ref) {
    case 'B3':
    case 'E4':
    case 'E5':
      return {
        [name('oldest-time')]: '1970-01-01T00:00:00Z',
        'newest-time': `${future}T00:00:00Z`,
      }
    case 'E3':
      return {
        [name('oldest-date')]: '1970-01-01',
        [name('newest-date')]: future,
      }
    default:
      return {}
  }
}

export function recordsOf({ field }: PagedList, { body }: Answer): Fields[] {
  const data = isObject(body) && isObject(body['data']) ? body['data'] : {}
  const records = data[field]
  return Array.isArray(records) ? records.filter(isObject) : []
}

export interface Totals {
  readonly totalRecords: number | undefined
  readonly totalPages: number | undefined
}

/** As numbers, however they are written: that is for another check. */
export function metaOf({ body }: Answer): Totals {
  const meta = isObject(body) && isObject(body['meta']) ? body['meta'] : {}
  const count = (value: unknown) =>
    value === undefined || value === null ? undefined : Number(value)
  return { totalRecords: count(meta['totalRecords']), totalPages: count(meta['totalPages']) }
}

/** The same, or a skip: that it is missing is for the check of the schema to say. */
export function totalsOf(answer: Answer): Totals {
  const totals = metaOf(answer)
  if (totals.totalRecords === undefined || totals.totalPages === undefined) skip('it has no totals')
  return totals
}

export function linkOf({ body }: Answer, name: string): string | undefined {
  const links = isObject(body) && isObject(body['links']) ? body['links'] : {}
  const link = links[name]
  return typeof link === 'string' && link !== '' ? link : undefined
}

/** A page, or a skip: that an operation does not answer is for the check of its schema to say. */
export async function pageOf(
  world: CheckContext,
  { list, ask }: Subject,
  query: Ask['query'],
): Promise<Answer> {
  const answer = await world.ask(list.operation, { ...ask, ...(query && { query }) })
  if (!answer.isSuccess) skip(`${list.ref} answered ${answer.status || 'nothing'}`)
  return answer
}

/** Page after page by number, whatever the totals and links say: those are judged by what this finds. */
export function walk(
  world: CheckContext,
  subject: Subject,
  query: Record<string, string> = {},
  pageSize: number = pageSizeDefault,
  pagesMax: number = walkPagesMax,
): Promise<Walk> {
  const name = `walk ${subject.label} ${pageSize} ${pagesMax} ${JSON.stringify(query)}`
  return world.once(name, async () => {
    const records: Fields[] = []
    const answers: Answer[] = []
    let isWhole = false
    for (let page = 1; page <= pagesMax && !isWhole; page += 1) {
      const answer = await pageOf(world, subject, { page, 'page-size': pageSize, ...query })
      const found = recordsOf(subject.list, answer)
      answers.push(answer)
      records.push(...found)
      const pages = Number(metaOf(answer).totalPages)
      isWhole = found.length === 0 || (found.length < pageSize && !(page < pages))
    }
    const [first] = answers
    return { records, isWhole, answers, total: first && metaOf(first).totalRecords }
  })
}

/** The accounts that B1 or E1 shows; none where the provider leaves it out or it fails. */
export async function walkAccounts(
  world: CheckContext,
  ref: 'B1' | 'E1',
  customerId: string,
): Promise<readonly Fields[]> {
  const operation = world.operation(ref)
  const list = operation && listOf(operation)
  if (!list) return []
  const subject = {
    list,
    customerId,
    ask: { params: { customerId } },
    label: `${ref} ${customerId}`,
  }
  return (await walk(world, subject).catch(() => undefined))?.records ?? []
}

export interface Sized {
  readonly subject: Subject
  readonly total: number
}

/** Every list of this kind there is to look at, with how long it says that it is. */
export function subjectsOf(world: CheckContext, list: PagedList): Promise<readonly Sized[]> {
  return world.once(`subjects ${list.ref}`, async () => {
    const sized: Sized[] = []
    for (const subject of await candidatesOf(world, list)) {
      const query = { 'page-size': 1, ...wholeQuery(world, list) }
      const answer = await world.ask(list.operation, { ...subject.ask, query })
      const total = Number(metaOf(answer).totalRecords)
      if (answer.isSuccess && recordsOf(list, answer).length > 0) sized.push({ subject, total })
    }
    return sized
  })
}

/** The longest list of this kind that is not too long, else the shortest; a skip where there is none. */
export async function subjectOf(
  world: CheckContext,
  list: PagedList,
  wanted: number = recordsWanted,
): Promise<Subject> {
  const rank = ({ total }: Sized) => (total > wanted ? -total : total)
  const sized = [...(await subjectsOf(world, list))].sort((a, b) => rank(b) - rank(a))
  return sized[0]?.subject ?? skip('no records were found')
}

/** All records of the best list of this kind. */
export async function wholeWalk(
  world: CheckContext,
  list: PagedList,
  { recordsMin = 1, wanted = recordsWanted } = {},
): Promise<{ readonly subject: Subject; readonly whole: Walk }> {
  const subject = await subjectOf(world, list, wanted)
  const whole = await walk(world, subject, wholeQuery(world, list))
  if (!whole.isWhole) skip(`it is longer than ${recordsMax} records`)
  if (whole.records.length < recordsMin) {
    skip(`it has ${whole.records.length} records, and ${recordsMin} are needed`)
  }
  return { subject, whole }
}

async function candidatesOf(world: CheckContext, list: PagedList): Promise<Subject[]> {
  const { ref, of, kind } = list
  const subjects: Subject[] = []
  for (const customerId of await customersOf(world)) {
    const params = { customerId }
    if (of === 'customer') {
      subjects.push({ list, customerId, ask: { params }, label: `${ref} ${customerId}` })
      continue
    }
    const accountIds = await accountIdsOf(world, customerId, kind)
    if (of === 'accounts' && accountIds.length > 0) {
      const body = { data: { accountIds } }
      subjects.push({ list, customerId, ask: { params, body }, label: `${ref} ${customerId}` })
    }
    if (of !== 'account') continue
    for (const accountId of accountIds.slice(0, candidatesMax)) {
      const label = `${ref} ${customerId} ${accountId}`
      subjects.push({ list, customerId, ask: { params: { ...params, accountId } }, label })
    }
  }
  return subjects
}

/** The accounts of a subject's customer, by id, as B1 or E1 shows them. */
export async function accountRecords(
  world: CheckContext,
  subject: Subject,
): Promise<Map<string, Fields>> {
  const accounts = await accountsOf(world, subject.customerId)
  return new Map(accounts.flatMap(({ id, record }) => (record ? [[id, record] as const] : [])))
}
