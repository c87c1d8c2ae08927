import { pageSizeDefault } from '../contract/index.ts'
import type { CheckContext } from './context.ts'
import { findAccountIds, findCustomers } from './customers.ts'
import { checkEach, type Passed, skip } from './outcome.ts'
import {
  buildUnboundedQuery,
  findPagedLists,
  type PagedList,
  readRecords,
  readTotals,
} from './paged-list.ts'
import {
  type ListContent,
  listRecordsMax,
  readUnbounded,
  type Subject,
  toSubject,
} from './read-list.ts'
import { isMissingRecord } from './responses.ts'

/** Lists of up to this length are preferred: they show everything in few requests. */
const recordsWanted = 10 * pageSizeDefault
const recordsWantedShort = 2 * pageSizeDefault

/** Limits the number of accounts per customer whose lists are compared. */
const candidatesMax = 8

interface Sized {
  readonly subject: Subject
  readonly total: number
}

/** Every non-empty list of this operation, with its `totalRecords`. */
export function findSubjects(context: CheckContext, list: PagedList): Promise<readonly Sized[]> {
  return context.once(`subjects ${list.ref}`, async () => {
    const sized: Sized[] = []
    for (const subject of await findCandidates(context, list)) {
      const query = { 'page-size': 1, ...buildUnboundedQuery(context, list) }
      const response = await context.request(list.operation, { ...subject.input, query })
      const total = Number(readTotals(response).totalRecords)
      if (response.isSuccess && readRecords(list, response).length > 0) {
        sized.push({ subject, total })
      }
    }
    return sized
  })
}

/** Every list of this operation, empty ones included. */
export async function findCandidates(context: CheckContext, list: PagedList): Promise<Subject[]> {
  const { parent } = list
  const subjects: Subject[] = []
  for (const customerId of await findCustomers(context)) {
    const ofCustomer = toSubject(list, customerId)
    if (parent === 'customer') {
      subjects.push(ofCustomer)
      continue
    }
    const accountIds = await findAccountsWith(context, customerId, list)
    if (parent === 'account') {
      const candidates = accountIds.slice(0, candidatesMax)
      subjects.push(...candidates.map((accountId) => toSubject(list, customerId, accountId)))
    } else if (accountIds.length > 0) {
      const input = { ...ofCustomer.input, body: { data: { accountIds } } }
      subjects.push({ ...ofCustomer, input })
    }
  }
  return subjects
}

/** The accounts of a customer, without those that are known to lack the only record of the list. */
async function findAccountsWith(
  context: CheckContext,
  customerId: string,
  { kind, operation, record }: PagedList,
): Promise<readonly string[]> {
  const ids = await findAccountIds(context, customerId, kind)
  if (!record.mayBeMissing) return ids
  const isMissing = async (accountIds: readonly string[]): Promise<boolean> => {
    const input = { params: { customerId }, body: { data: { accountIds } } }
    return isMissingRecord(await context.request(operation, input))
  }
  if (!(await isMissing(ids))) return ids
  const found: string[] = []
  for (const id of ids) if (!(await isMissing([id]))) found.push(id)
  return found
}

/** The longest list of up to `wanted` records, otherwise the shortest one; skips the check if all are empty. */
export async function findSubject(
  context: CheckContext,
  list: PagedList,
  wanted: number = recordsWanted,
): Promise<Subject> {
  const rank = ({ total }: Sized) => (total > wanted ? -total : total)
  const sized = [...(await findSubjects(context, list))].sort((a, b) => rank(b) - rank(a))
  return sized[0]?.subject ?? skip('no records were found')
}

/** All records of the list that `findSubject` chooses. */
export async function readWholeList(
  context: CheckContext,
  list: PagedList,
  { recordsMin = 1, wanted = recordsWanted } = {},
): Promise<{ readonly subject: Subject; readonly whole: ListContent }> {
  const subject = await findSubject(context, list, wanted)
  const whole = await readUnbounded(context, subject)
  if (!whole.isWhole) skip(`it has more than ${listRecordsMax} records`)
  if (whole.records.length < recordsMin) {
    skip(`it has ${whole.records.length} records, and ${recordsMin} are needed`)
  }
  return { subject, whole }
}

/** All records of a list that has a few pages. */
export function readShortList(context: CheckContext, list: PagedList, recordsMin = 1) {
  return readWholeList(context, list, { recordsMin, wanted: recordsWantedShort })
}

/** A size that divides a list into a few pages. Providers need not support more than the default. */
export function choosePageSize(count: number, pages = 4): number {
  return Math.max(1, Math.min(pageSizeDefault - 1, Math.ceil(count / pages)))
}

/** Runs a check on every paged list. */
export function forEachList(
  check: (context: CheckContext, list: PagedList) => Promise<unknown>,
): (context: CheckContext) => Promise<Passed> {
  return (context) => checkEach(findPagedLists(context), (list) => check(context, list))
}
