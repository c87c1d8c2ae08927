import { createHash } from 'node:crypto'
import {
  ContractError,
  type RegulatoryReport,
  type ReportedBrand,
  type ReportedError,
  type ReportedRefusal,
} from '../../contract/index.ts'
import { publicOperations } from '../usage/operations.ts'
import { type DayCount, type UsageStore, usageSpans } from '../usage/store.ts'
import type { RecordCount, RecordCounts } from './count-records.ts'
import { isFinished, periodForm, type ReportPeriod, readPeriod } from './period.ts'
import { findBasis, findErrorCode, productTraffic } from './refusal-rules.ts'

export interface ReportOptions {
  readonly usage: Pick<UsageStore, 'readDays'>
  readonly clock: () => Temporal.Instant
  readonly timeZone: string
  /** Of the platform, whose records are those of one brand. */
  readonly brand: Pick<ReportedBrand, 'name' | 'id'>
  /** How long records are kept. */
  readonly recordYears: number
}

/** The period with this name, if it has begun and all of its records are kept. */
export function requirePeriod(
  name: string,
  { clock, timeZone, recordYears }: Pick<ReportOptions, 'clock' | 'timeZone' | 'recordYears'>,
): ReportPeriod {
  const period = readPeriod(name, timeZone)
  if (!period) {
    throw new ContractError('invalid_request', `period must be ${periodForm}`)
  }
  const now = clock()
  const day = period.firstDay.toString()
  if (Temporal.Instant.compare(period.start, now) > 0)
    throw new ContractError('invalid_request', `period ${name} begins on ${day}`)
  const kept = now.toZonedDateTimeISO('UTC').subtract({ years: recordYears }).toInstant()
  if (Temporal.Instant.compare(period.start, kept) >= 0) return period
  throw new ContractError(
    'invalid_request',
    `period ${name} begins on ${day}, before the records that are kept: HOLDFAST_RECORD_YEARS is ${recordYears}`,
  )
}

/** Makes the report of a period. Once it is finished, the same records and counts give the same report. */
export async function makeReport(
  period: ReportPeriod,
  counted: RecordCounts,
  { usage, clock, timeZone, brand }: ReportOptions,
): Promise<RegulatoryReport> {
  const now = clock()
  const products = await readProductCalls(period, usage, now)
  const { records, blocks, heads, fault } = counted
  const lines = heads.map(({ chain, number, hash }) => `${chain} ${number} ${hash}\n`)
  return {
    period: period.name,
    firstDay: period.firstDay.toString(),
    lastDay: period.lastDay.toString(),
    timeZone,
    isFinished: isFinished(period, now),
    brands: [
      {
        ...brand,
        ...(products && { productDataRequests: sum(products.map(({ calls }) => calls)) }),
        ...countConsumerRequests(counted),
        refusals: [...listProductRefusals(products ?? []), ...listRefusals(counted)],
        errors: listErrors(counted),
      },
    ],
    records: {
      ...{ records, blocks, chains: heads.length },
      digest: createHash('sha256').update(lines.join('')).digest('hex'),
      ...(fault !== undefined && { fault }),
    },
  }
}

const productNames: ReadonlySet<string> = new Set(
  [publicOperations.products, publicOperations.product].map(({ name }) => name),
)

/** Undefined if the counts of the first days are not kept any longer. */
async function readProductCalls(
  { start, end }: ReportPeriod,
  usage: ReportOptions['usage'],
  now: Temporal.Instant,
): Promise<readonly DayCount[] | undefined> {
  const kept = now.subtract({ hours: usageSpans.day.retentionHours })
  if (Temporal.Instant.compare(start, kept) < 0) return undefined
  const days = await usage.readDays(start.epochMilliseconds)
  return days.filter((day) => day.start < end.epochMilliseconds && productNames.has(day.operation))
}

const isDisclosed = ({ isSent, status }: RecordCount) => isSent && status < 400

function countConsumerRequests({ counts, records }: RecordCounts) {
  const count = (isCounted: (each: RecordCount) => boolean) =>
    sum(counts.filter(isCounted).map((each) => each.count))
  return {
    consumerDataRequests: records,
    disclosed: count(isDisclosed),
    notSent: count(({ isSent }) => !isSent),
  }
}

function listProductRefusals(products: readonly DayCount[]): ReportedRefusal[] {
  const rejected = products.filter(({ rejection, status }) => rejection !== '' || status === 429)
  return merge(
    rejected.map(({ rejection, calls }) => ({
      data: 'product' as const,
      ...productTraffic,
      ...(rejection !== '' && { limit: rejection }),
      count: calls,
    })),
  )
}

function listRefusals({ counts }: RecordCounts): ReportedRefusal[] {
  return merge(
    counts.flatMap((each) => {
      const basis = each.isSent ? findBasis(each) : undefined
      if (!basis) return []
      const { error = '', limit, count } = each
      const code = findErrorCode(error)
      const details = { ...(code && { code }), ...(limit && { limit }) }
      return [{ data: 'consumer' as const, ...basis, ...details, count }]
    }),
  )
}

function listErrors({ counts }: RecordCounts): ReportedError[] {
  const failed = counts.filter((each) => each.isSent && !isDisclosed(each) && !findBasis(each))
  return merge(
    failed.map(({ error = '', status, count }) => {
      const code = findErrorCode(error)
      return { error, status, ...(code && { code }), count }
    }),
  )
}

/** Adds up what is alike but for the number, in an order that does not depend on that of the records. */
function merge<Row extends { readonly count: number }>(rows: readonly Row[]): Row[] {
  const merged = new Map<string, Row>()
  for (const row of rows) {
    const key = JSON.stringify({ ...row, count: 0 })
    merged.set(key, { ...row, count: row.count + (merged.get(key)?.count ?? 0) })
  }
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
