import { cdsEndpoints } from '../../contract/cds/shared/endpoints.ts'
import { formatCsvRow } from '../../disclosures/csv.ts'
import { findRecords } from '../../disclosures/find-records.ts'
import { formatPosition, parsePosition } from '../../disclosures/position.ts'
import { parseRecords, type StoredDisclosureRecord } from '../../disclosures/record.ts'
import type { DisclosureRecordStore } from '../../disclosures/store.ts'
import type { CdsErrorName } from '../cds/errors.ts'
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

/** A page of the records of a customer, before the end of the previous page; the first one if `before` is no position. */
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
    before: last && formatPosition(last),
  }
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
  const { time, thirdPartyId, operation, oldest, newest } = record
  const isShared = record.isSent && record.status < 400
  const asked = record.scopes.length > 0 ? record.scopes : [scopes.get(operation) ?? 'profile']
  const data = describeScopes(asked, false).map(({ name }) => name)
  return {
    time,
    name: names.get(thirdPartyId) ?? removedName,
    data: data.join(', ') || 'Data about you',
    problem: isShared ? undefined : explain(record),
    count: isShared ? record.count : 0,
    accounts: (isShared ? record.accountIds : []).map((id) => {
      const account = listed.find((each) => each.id === id)
      return account ? nameAccount(account) : `Account ${id}`
    }),
    oldest,
    newest,
  }
}

/** UserInfo has errors of OAuth. */
type RefusalName = CdsErrorName | 'access_denied'

/** The data holder refused to share. */
const refusals: ReadonlySet<string> = new Set<RefusalName>([
  'sharingRefused',
  'customerUnavailable',
  'accountUnavailable',
  'energyAccountUnavailable',
  'unavailableAccountInBody',
  'unavailableEnergyAccountInBody',
  'access_denied',
])

function explain({ status, isSent, error = '' }: StoredDisclosureRecord): string {
  if (!isSent) return 'Nothing was shared: it was not available'
  if (error === 'insufficientScope') return 'Nothing was shared: you did not agree to it'
  if (refusals.has(error)) return 'Nothing was shared: it cannot be shared at the moment'
  if (status === 429) return 'Nothing was shared: too many requests'
  if (status >= 500) return 'Nothing was shared: it was not available'
  return 'Nothing was shared: the request was not valid'
}
