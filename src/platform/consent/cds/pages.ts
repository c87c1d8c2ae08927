import type { Client } from '../../../client/client.ts'
import { accountIdsMax, pageSizeMax } from '../../../contract/index.ts'
import { isObject } from '../../../contract/schema.ts'
import { buildLinks, buildMeta, type PagePosition, requirePage } from '../../cds/envelope.ts'
import type { Query } from '../../cds/query.ts'
import { ProviderUnavailable } from '../customers.ts'
import { ask, type CdsCall, rejectAccount, toInput, writeRecords } from './shared-data.ts'

export interface CdsBody {
  readonly data: object
  readonly links: object
  readonly meta: object
}

/** What the provider is asked for: a page of the records of some accounts. */
type PageRequest = ReturnType<typeof createPageRequest>

function createPageRequest(call: CdsCall, query: Query, accountIds: readonly string[]) {
  const input = { ...toInput(call), query }
  const [accountId = '', ...others] = accountIds
  return {
    isOneAccount: others.length === 0,
    /** For an operation with an account in its path. */
    ofAccount: { ...input, params: { ...input.params, accountId } },
    /** For an operation with accounts in its body. */
    ofAccounts: { ...input, body: { data: { accountIds: [...accountIds] } } },
  }
}

interface ProviderPage {
  readonly records: readonly unknown[]
  readonly meta: { readonly totalRecords: number; readonly isQueryParamUnsupported?: boolean }
}

/** A list of records that the provider has of accounts. */
export interface RecordSource {
  read(client: Client, request: PageRequest): Promise<ProviderPage>
  /** The object with the `accountId` of a record, if it is not the record. */
  locateAccountId?(record: Readonly<Record<string, unknown>>): unknown
  /** By this field, the newest record is the first one. Otherwise they have the order of the accounts. */
  readonly newestBy?: string
  /** The query with fixed bounds, so that the clock does not shift a walk over the pages. */
  resolveWindow?(call: CdsCall): Query
}

/**
 * A page of the records of accounts, as the provider pages them. Records that would be invalid are left out of the page, and
 * counted in its total: the provider does not say how many there are on other pages.
 */
export async function readPage(
  call: CdsCall,
  source: RecordSource,
  accountIds: readonly string[],
): Promise<CdsBody> {
  const query = source.resolveWindow?.(call) ?? call.query
  call.disclosed.query = query
  const found =
    accountIds.length === 0
      ? { records: [], meta: { totalRecords: 0 } }
      : accountIds.length > accountIdsMax
        ? await readLongPage(call, source, accountIds, query)
        : await ask(call, (client) =>
            source.read(client, createPageRequest(call, query, accountIds)),
          )
  if (!found) {
    if (call.accountId !== '') return rejectAccount(call)
    throw new ProviderUnavailable('an account was removed during the request')
  }
  const { records, meta } = found
  const { totalRecords, isQueryParamUnsupported } = meta
  const requested = new Set<unknown>(accountIds)
  if (
    !Number.isSafeInteger(totalRecords) ||
    records.some((each) => !requested.has(readAccountId(source, each)))
  ) {
    throw new ProviderUnavailable('an invalid total, or records of another account')
  }
  const body = toBody(
    call,
    query,
    { ...readPosition(query), totalRecords },
    writeRecords(call, records),
  )
  if (!isQueryParamUnsupported) return body
  return { ...body, meta: { ...body.meta, isQueryParamUnsupported } }
}

/** Undefined if the record is not one of the list. */
function readAccountId({ locateAccountId }: RecordSource, record: unknown): unknown {
  const place = isObject(record) && locateAccountId ? locateAccountId(record) : record
  return isObject(place) ? place['accountId'] : undefined
}

/** Of more accounts than the provider accepts in a request: all records of all accounts are read. */
async function readLongPage(
  call: CdsCall,
  { read, newestBy }: RecordSource,
  accountIds: readonly string[],
  query: Query,
): Promise<ProviderPage> {
  const all: unknown[] = []
  for (let start = 0; start < accountIds.length; start += accountIdsMax) {
    const some = accountIds.slice(start, start + accountIdsMax)
    for (let page = 1, left = 1; left > 0; page += 1) {
      const bounds = { ...query, page, 'page-size': pageSizeMax }
      const found = await ask(call, (client) => read(client, createPageRequest(call, bounds, some)))
      if (!found) throw new ProviderUnavailable('an account was removed during the request')
      all.push(...found.records)
      left = found.meta.totalRecords - page * pageSizeMax
    }
  }
  if (newestBy !== undefined) {
    const readTime = (record: unknown) => String((record as Record<string, unknown>)[newestBy])
    all.sort((a, b) => (readTime(a) < readTime(b) ? 1 : readTime(a) > readTime(b) ? -1 : 0))
  }
  return { records: slicePage(query, all), meta: { totalRecords: all.length } }
}

/** The requested page of a list of records that was read as a whole. */
export function toPage(call: CdsCall, records: readonly object[]): CdsBody {
  const position = { ...readPosition(call.query), totalRecords: records.length }
  return toBody(call, call.query, position, slicePage(call.query, records))
}

export function toSingle({ url }: CdsCall, data: object): CdsBody {
  return { data, links: { self: url }, meta: {} }
}

function slicePage<Each>(query: Query, records: readonly Each[]): readonly Each[] {
  const { page, pageSize } = readPosition(query)
  return records.slice((page - 1) * pageSize, page * pageSize)
}

function readPosition(query: Query) {
  return { page: Number(query['page']), pageSize: Number(query['page-size']) }
}

function toBody(
  { url, endpoint }: CdsCall,
  query: Query,
  position: PagePosition,
  records: readonly object[],
): CdsBody {
  requirePage(position)
  const data = { [endpoint.response.list ?? '']: records }
  return { data, links: buildLinks(url, query, position), meta: buildMeta(position) }
}
