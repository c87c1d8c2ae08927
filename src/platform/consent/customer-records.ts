import { cdsEndpoints } from '../../contract/cds/shared/endpoints.ts'
import type { DescribedRecord, DescribedRecordList } from '../../contract/index.ts'
import { findRecords } from '../../disclosures/find-records.ts'
import { formatPosition, parsePosition } from '../../disclosures/position.ts'
import { parseRecords, type StoredDisclosureRecord } from '../../disclosures/record.ts'
import type { DisclosureRecordStore } from '../../disclosures/store.ts'
import { type CdsErrorName, isCdsError } from '../cds/errors.ts'
import type { CustomerAccount } from './account-details.ts'
import { nameAccount } from './pages/dashboard.ts'
import type { Brand } from './pages/layout.ts'
import type { CopyFormat } from './records-copy.ts'
import { describeScopes } from './scopes.ts'

/** How many blocks have the records of a page for customers, and of one for a program. */
const blocksMax = 50
export const listedBlocksMax = 200

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
  limit = blocksMax,
): Promise<RecordPage> {
  const after = before === undefined ? undefined : parsePosition(before)
  const blocks = await store.list({ customerId, isNewestFirst: true, after, limit })
  const last = blocks.length < limit ? undefined : blocks.at(-1)
  return {
    records: blocks.flatMap((block) =>
      parseRecords(block, customerId)
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
  brand: Pick<Brand, 'timeZone'>,
  describe: (record: StoredDisclosureRecord) => CustomerRecord,
  { start, format, end }: CopyFormat,
): AsyncGenerator<string> {
  yield start
  for await (const [records] of findRecords(store, { customerId })) {
    yield records.map((record) => format(formatRecord(describe(record), brand))).join('')
  }
  yield end
}

/** A record as the API and the copy have it. */
export function formatRecord(
  { time, name, data, problem, count, accounts, oldest, newest }: CustomerRecord,
  { timeZone }: Pick<Brand, 'timeZone'>,
): DescribedRecord {
  return {
    time: time.toString(),
    localTime: time.toZonedDateTimeISO(timeZone).toString({ smallestUnit: 'second' }),
    service: name,
    data,
    result: problem ?? 'Shared',
    records: count,
    accounts: [...accounts],
    ...(oldest !== undefined && { from: oldest }),
    ...(newest !== undefined && { to: newest }),
  }
}

/** A page of the records of a customer, in the customer's words. `next` is the `cursor` of the page after it. */
export type ReadCustomerRecords = (
  customerId: string,
  cursor: string | undefined,
) => Promise<DescribedRecordList>

/** The scope of each operation. */
const scopes: ReadonlyMap<string, string> = new Map(
  Object.values(cdsEndpoints).map(({ logName, scope }) => [`cds-${logName}`, scope]),
)

export function describeRecord(
  record: StoredDisclosureRecord,
  names: ReadonlyMap<string, string>,
  listed: readonly CustomerAccount[] = [],
): CustomerRecord {
  // Of a changed record, fields can be missing.
  const { time, thirdPartyId, operation, oldest, newest, scopes: agreed = [], count = 0 } = record
  const isShared = record.isSent && record.status < 400
  const asked = agreed.length > 0 ? agreed : [scopes.get(operation) ?? 'profile']
  const data = describeScopes(asked, false).map(({ name }) => name)
  return {
    time,
    name: names.get(thirdPartyId) ?? removedName,
    data: data.join(', ') || 'Data about you',
    problem: isShared ? undefined : explain(record),
    count: isShared ? count : 0,
    accounts: (isShared ? record.accountIds : []).map((id) => {
      const account = listed.find((each) => each.id === id)
      return account ? nameAccount(account) : `Account ${id}`
    }),
    oldest,
    newest,
  }
}

const notAgreed = 'Nothing was shared: you did not agree to it'
const refused = 'Nothing was shared: it cannot be shared at the moment'
const tooMany = 'Nothing was shared: too many requests'
const notAvailable = 'Nothing was shared: it was not available'
const notValid = 'Nothing was shared: the request was not valid'

/** Why nothing was shared, by the name of the error. */
const explanations: Readonly<Record<CdsErrorName, string>> = {
  insufficientScope: notAgreed,
  sharingRefused: refused,
  customerUnavailable: refused,
  accountUnavailable: refused,
  energyAccountUnavailable: refused,
  unavailableAccountInBody: refused,
  unavailableEnergyAccountInBody: refused,
  tooManyRequests: tooMany,
  unavailable: notAvailable,
  missingField: notValid,
  invalidField: notValid,
  invalidDate: notValid,
  invalidPageSize: notValid,
  missingHeader: notValid,
  invalidHeader: notValid,
  invalidVersion: notValid,
  invalidToken: notValid,
  notImplemented: notValid,
  notFound: notValid,
  unknownProduct: notValid,
  unknownAccount: notValid,
  unknownEnergyAccount: notValid,
  methodNotAllowed: notValid,
  notAcceptable: notValid,
  unsupportedVersion: notValid,
  unknownAccountInBody: notValid,
  unknownEnergyAccountInBody: notValid,
  invalidArrangement: notValid,
  invalidPage: notValid,
}

function explain({ status, isSent, error = '', isRefusal }: StoredDisclosureRecord): string {
  if (!isSent) return notAvailable
  if (isCdsError(error)) return explanations[error]
  // UserInfo has errors of OAuth.
  if (isRefusal) return refused
  if (status === 429) return tooMany
  return status >= 500 ? notAvailable : notValid
}
