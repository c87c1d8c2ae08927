import { pageSizeDefault } from '../contract/index.ts'
import type { CheckContext, RequestInput } from './context.ts'
import type { HttpResponse } from './http-client.ts'
import { skip } from './outcome.ts'
import {
  buildUnboundedQuery,
  type Fields,
  type PagedList,
  readRecords,
  readTotals,
  toPagedList,
} from './paged-list.ts'
import { formatStatus } from './responses.ts'

/** Longer lists are not read to the end. */
const listPagesMax = 40
export const listRecordsMax = listPagesMax * pageSizeDefault

/** One list of one customer, or of one of the customer's accounts. */
export interface Subject {
  readonly list: PagedList
  readonly customerId: string
  readonly input: Pick<RequestInput, 'params' | 'body'>
  /** Identifies the subject in the cache of the run. */
  readonly label: string
}

/** The list of one account of a customer, or without an account the list of the customer. */
export function toSubject(list: PagedList, customerId: string, accountId?: string): Subject {
  const { ref, parent } = list
  const label = [ref, customerId, accountId].filter(Boolean).join(' ')
  if (accountId === undefined) return { list, customerId, input: { params: { customerId } }, label }
  const input =
    parent === 'account'
      ? { params: { customerId, accountId } }
      : { params: { customerId }, body: { data: { accountIds: [accountId] } } }
  return { list, customerId, input, label }
}

export interface ListContent {
  readonly records: readonly Fields[]
  /** Whether the end was reached. */
  readonly isWhole: boolean
  /** `totalRecords` of the first page. */
  readonly total: number | undefined
  readonly responses: readonly HttpResponse[]
}

/** Skips the check if the operation fails: the check of its schema reports that. */
export async function requirePage(
  context: CheckContext,
  { list, input }: Subject,
  query: RequestInput['query'],
): Promise<HttpResponse> {
  const response = await context.request(list.operation, { ...input, ...(query && { query }) })
  if (!response.isSuccess) skip(`${list.ref} returned ${formatStatus(response)}`)
  return response
}

/** Reads page after page by number. It does not rely on totals and links: they are checked against its result. */
export function readList(
  context: CheckContext,
  subject: Subject,
  query: Record<string, string> = {},
  pageSize: number = pageSizeDefault,
): Promise<ListContent> {
  const name = `list ${subject.label} ${pageSize} ${JSON.stringify(query)}`
  return context.once(name, async () => {
    const records: Fields[] = []
    const responses: HttpResponse[] = []
    let isWhole = false
    for (let page = 1; page <= listPagesMax && !isWhole; page += 1) {
      const response = await requirePage(context, subject, {
        page,
        'page-size': pageSize,
        ...query,
      })
      const found = readRecords(subject.list, response)
      responses.push(response)
      // One by one: a provider may ignore the page size.
      for (const record of found) records.push(record)
      const pages = Number(readTotals(response).totalPages)
      isWhole = found.length === 0 || (found.length < pageSize && !(page < pages))
    }
    const [first] = responses
    return { records, isWhole, responses, total: first && readTotals(first).totalRecords }
  })
}

/** Reads a list from its first record to its last: without bounds, a list returns the last months only. */
export function readUnbounded(
  context: CheckContext,
  subject: Subject,
  query: Record<string, string> = {},
  pageSize?: number,
): Promise<ListContent> {
  const bounds = buildUnboundedQuery(context, subject.list)
  return readList(context, subject, { ...bounds, ...query }, pageSize)
}

/** The accounts that B1 or E1 lists; empty if the provider leaves the operation out or it fails. */
export async function readAccounts(
  context: CheckContext,
  ref: 'B1' | 'E1',
  customerId: string,
): Promise<readonly Fields[]> {
  const operation = context.operation(ref)
  const list = operation && toPagedList(operation)
  if (!list) return []
  const subject = toSubject(list, customerId)
  return (await readList(context, subject).catch(() => undefined))?.records ?? []
}
