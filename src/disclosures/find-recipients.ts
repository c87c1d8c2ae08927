import type { CdsEndpointId, cdsEndpoints } from '../contract/cds/shared/endpoints.ts'
import { type Block, hasOwnHash } from './block.ts'
import type { Correction } from './correction.ts'
import { findRecords } from './find-records.ts'
import type { DisclosureRecord, StoredDisclosureRecord } from './record.ts'
import type { DisclosureRecordStore } from './store.ts'

/** A third party that can have received wrong data under a consent. */
export interface Recipient {
  readonly thirdPartyId: string
  readonly consentId: string
  /** Of the disclosures that can have contained the data. */
  readonly first: Temporal.Instant
  readonly last: Temporal.Instant
  readonly count: number
}

export interface RecipientOptions {
  /** Of local times in the data. */
  readonly timeZone: string
  /** Only this third party. */
  readonly thirdPartyId?: string | undefined
  /** Called with each block that is not as it was written: its records prove nothing. */
  readonly onChanged?: ((block: Block) => void) | undefined
}

/**
 * How much later than the correction a disclosure may be recorded and have data from before: an answer is recorded some
 * seconds after its data was read, a replica may lag, and clocks differ.
 */
const delaySeconds = 60

/**
 * The corrections with the recipients of what they corrected, in the order of the corrections. The records of a customer are
 * read once for all corrections on a page, which bounds the memory, and not before the first of them is asked for.
 */
export async function* findRecipients(
  store: Pick<DisclosureRecordStore, 'list'>,
  pages: AsyncIterable<readonly Correction[]>,
  options: RecipientOptions,
): AsyncGenerator<readonly [Correction, readonly Recipient[]]> {
  for await (const page of pages) {
    const byCustomer = Map.groupBy(page, ({ customerId }) => customerId)
    const found = new Map<Correction, readonly Recipient[]>()
    for (const correction of page) {
      const { customerId } = correction
      if (!found.has(correction)) {
        const corrections = byCustomer.get(customerId) ?? []
        const recipients = await findForCustomer(store, customerId, corrections, options)
        for (const [each, list] of recipients) found.set(each, list)
      }
      yield [correction, found.get(correction) ?? []]
    }
  }
}

async function findForCustomer(
  store: Pick<DisclosureRecordStore, 'list'>,
  customerId: string,
  corrections: readonly Correction[],
  { timeZone, thirdPartyId, onChanged }: RecipientOptions,
): Promise<ReadonlyMap<Correction, readonly Recipient[]>> {
  const checks = corrections.map((correction) => ({
    correction,
    canHaveData: openCheck(correction, timeZone),
    /** By consent. */
    recipients: new Map<string, Recipient>(),
  }))
  const latest = Math.max(...corrections.map(({ time }) => time.epochMilliseconds))
  const to = Temporal.Instant.fromEpochMilliseconds(latest + delaySeconds * 1000 + 1)
  for await (const [records, block] of findRecords(store, { customerId, thirdPartyId, to })) {
    if (onChanged && !hasOwnHash(block)) onChanged(block)
    for (const record of records) {
      if (!isDisclosed(record)) continue
      for (const { canHaveData, recipients } of checks) {
        if (!canHaveData(record)) continue
        const { consentId, time } = record
        const { first = time, count = 0 } = recipients.get(consentId) ?? {}
        const { thirdPartyId } = record
        recipients.set(consentId, { thirdPartyId, consentId, first, last: time, count: count + 1 })
      }
    }
  }
  return new Map(checks.map(({ correction, recipients }) => [correction, [...recipients.values()]]))
}

function isDisclosed({ isSent, error, count }: StoredDisclosureRecord): boolean {
  return isSent && error === undefined && count > 0
}

type LogName = (typeof cdsEndpoints)[CdsEndpointId]['logName']

/** What the answers of each endpoint have. */
const disclosedTypes: Readonly<Record<LogName, Correction['type']>> = {
  accounts: 'banking.account',
  account: 'banking.account',
  balance: 'banking.balance',
  balances: 'banking.balance',
  transactions: 'banking.transaction',
  'direct-debits': 'banking.directDebit',
  'scheduled-payments': 'banking.scheduledPayment',
  'energy-accounts': 'energy.account',
  'energy-account': 'energy.account',
  invoices: 'energy.invoice',
  billing: 'energy.billing',
  customer: 'customer',
  'customer-detail': 'customer',
}

const typesByOperation: ReadonlyMap<string, Correction['type']> = new Map([
  ...Object.entries(disclosedTypes).map(([name, type]) => [`cds-${name}`, type] as const),
  ['userinfo', 'customer'],
])

/** Returns a function that says whether what a record describes can have contained the data that was wrong. */
function openCheck(
  { type, accountId, isDeleted, ...correction }: Correction,
  timeZone: string,
): (record: StoredDisclosureRecord) => boolean {
  // The customer should not have had the account: all of its data was wrong.
  const isWhole = isDeleted && (type === 'banking.account' || type === 'energy.account')
  const [kind] = type.split('.', 1)
  const isInPeriod = openPeriodCheck(type, correction, timeZone)
  const end = correction.time.epochMilliseconds + delaySeconds * 1000
  return (record) => {
    const disclosed = typesByOperation.get(record.operation)
    if (disclosed !== type && !(isWhole && disclosed?.split('.', 1)[0] === kind)) return false
    if (accountId !== undefined && !record.accountIds.includes(accountId)) return false
    return record.time.epochMilliseconds <= end && isInPeriod(record)
  }
}

type Period = Pick<DisclosureRecord, 'oldest' | 'newest'>

/**
 * Whether the period that was asked for has the time of the record before the correction or after it: without the record
 * in its place, an answer was wrong too.
 */
function openPeriodCheck(
  type: Correction['type'],
  { timeBefore, timeAfter }: Pick<Correction, 'timeBefore' | 'timeAfter'>,
  timeZone: string,
): (period: Period) => boolean {
  const times = [timeBefore, timeAfter].filter((time) => time !== undefined)
  if (times.length === 0) return () => true
  const toUtc = (time: Temporal.Instant) => time.toZonedDateTimeISO('UTC')
  if (type === 'energy.invoice') {
    const days = times.map((time) => toUtc(time).toPlainDate().toString())
    return ({ oldest = '', newest = '9999-12-31' }) =>
      days.some((day) => oldest <= day && day <= newest)
  }
  const toInstant = (time: Temporal.Instant) =>
    type === 'energy.billing'
      ? toUtc(time).toPlainDateTime().toZonedDateTime(timeZone).toInstant()
      : time
  const numbers = times.map((time) => toInstant(time).epochMilliseconds)
  return ({ oldest, newest }) => {
    const start = parse(oldest) ?? Number.NEGATIVE_INFINITY
    const end = parse(newest) ?? Number.POSITIVE_INFINITY
    return numbers.some((time) => start <= time && time <= end)
  }
}

/** Undefined for a time in a changed block that is none: a notice that is not needed harms less than one that is missing. */
function parse(time: string | undefined): number | undefined {
  try {
    return time === undefined ? undefined : Temporal.Instant.from(time).epochMilliseconds
  } catch {
    return undefined
  }
}
