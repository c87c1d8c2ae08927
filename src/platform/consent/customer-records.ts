import { cdsEndpoints } from '../../contract/cds/shared/endpoints.ts'
import { formatCsvRow } from '../../disclosures/csv.ts'
import { findRecords } from '../../disclosures/find-records.ts'
import { parseRecords, type StoredDisclosureRecord } from '../../disclosures/record.ts'
import type { DisclosureRecordStore, Position } from '../../disclosures/store.ts'
import type { CustomerAccount } from './account-details.ts'
import { nameAccount } from './pages/dashboard.ts'
import type { Brand } from './pages/layout.ts'
import { describeScopes } from './scopes.ts'

/** How many blocks have the records of a page. */
const blocksMax = 50

export const removedName = 'A service that is no longer available'

/** A record in the words that a customer reads. */
export interface CustomerRecord {
  readonly time: Temporal.Instant
  /** Of the third party. */
  readonly name: string
  /** What was asked for. */
  readonly data: string
  /** Why nothing was shared, if so. */
  readonly problem: string | undefined
  readonly count: number
  /** The names of the accounts. */
  readonly accounts: readonly string[]
  readonly oldest: string | undefined
  readonly newest: string | undefined
}

export interface RecordPage {
  /** Newest first. */
  readonly records: readonly StoredDisclosureRecord[]
  /** For the page with earlier records. */
  readonly before: string | undefined
}

/** A page of the records of a customer, before the end of the previous page. */
export async function readCustomerRecords(
  store: Pick<DisclosureRecordStore, 'list'>,
  customerId: string,
  before: string | undefined,
): Promise<RecordPage> {
  const after = before === undefined ? undefined : parsePosition(before)
  const blocks = await store.list({ customerId, isNewestFirst: true, after, limit: blocksMax })
  const last = blocks.length < blocksMax ? undefined : blocks.at(-1)
  return {
    records: blocks.flatMap((block) =>
      parseRecords(block)
        .filter((record) => record.customerId === customerId)
        .reverse(),
    ),
    before: last && `${last.time.epochMilliseconds}-${last.number}-${last.chain}`,
  }
}

/** Undefined if it is none: the first page. */
function parsePosition(text: string): Position | undefined {
  const [, time, number, chain] = /^(\d{1,15})-(\d{1,15})-([\w-]{1,64})$/.exec(text) ?? []
  if (!chain) return undefined
  const { fromEpochMilliseconds } = Temporal.Instant
  return { time: fromEpochMilliseconds(Number(time)), number: Number(number), chain }
}

/** The copy that a customer saves, oldest first. */
export async function* formatRecords(
  store: Pick<DisclosureRecordStore, 'list'>,
  customerId: string,
  { timeZone }: Brand,
  describe: (record: StoredDisclosureRecord) => CustomerRecord,
): AsyncGenerator<string> {
  yield formatCsvRow(columns)
  for await (const [records] of findRecords(store, { customerId })) {
    const rows = records.map(describe).map(({ time, name, data, problem, ...record }) => {
      const local = time.toZonedDateTimeISO(timeZone).toString({ smallestUnit: 'second' })
      const { count, accounts, oldest = '', newest = '' } = record
      const result = problem ?? 'Shared'
      return formatCsvRow([local, name, data, result, count, accounts.join('; '), oldest, newest])
    })
    yield rows.join('')
  }
}

const columns = ['Time', 'Service', 'Data', 'Result', 'Records', 'Accounts', 'From', 'To']

/** The scope of each operation. */
const scopes: ReadonlyMap<string, string> = new Map(
  Object.values(cdsEndpoints).map(({ logName, scope }) => [`cds-${logName}`, scope]),
)

export function describeRecord(
  record: StoredDisclosureRecord,
  names: ReadonlyMap<string, string>,
  listed: readonly CustomerAccount[] = [],
): CustomerRecord {
  const { time, thirdPartyId, operation, status, count, oldest, newest } = record
  const asked = record.scopes.length > 0 ? record.scopes : [scopes.get(operation) ?? 'profile']
  const data = describeScopes(asked, false).map(({ name }) => name)
  return {
    time,
    name: names.get(thirdPartyId) ?? removedName,
    data: data.join(', ') || 'Data about you',
    problem: status < 400 ? undefined : explain(record),
    count,
    accounts: record.accountIds.map((id) => {
      const account = listed.find((each) => each.id === id)
      return account ? nameAccount(account) : `Account ${id}`
    }),
    oldest,
    newest,
  }
}

function explain({ status, error = '' }: StoredDisclosureRecord): string {
  if (error === 'insufficientScope') return 'Nothing was shared: you did not agree to it'
  if (
    /unavailable.*account|accountUnavailable|refused|customerUnavailable|access_denied/i.test(error)
  )
    return 'Nothing was shared: it cannot be shared at the moment'
  if (status === 429) return 'Nothing was shared: too many requests'
  if (status >= 500) return 'Nothing was shared: it was not available'
  return 'Nothing was shared: the request was not valid'
}
