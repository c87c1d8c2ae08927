import { isDecimal } from './compare.ts'
import type { CheckContext } from './context.ts'
import { readAccountRecords } from './customers.ts'
import { type Fields, hasParameter, type PagedList, readAccountId } from './paged-list.ts'
import { resolveName } from './parameters.ts'
import { readWholeList } from './subjects.ts'

export type Filter = Record<string, string>

interface FilterInput {
  readonly list: PagedList
  readonly records: readonly Fields[]
  /** The accounts of the customer, by id. */
  readonly accounts: ReadonlyMap<string, Fields>
}

/**
 * For each query parameter, a value that in most data excludes some records and keeps others; undefined if these records
 * suggest none. Paging parameters are not filters.
 */
const filterValues = new Map<string, (input: FilterInput) => string | undefined>([
  ['max-amount', ({ records }) => medianAmount(records)],
  ['min-amount', ({ records }) => medianAmount(records)],
  ['text', ({ records }) => frequentWord(records)],
  ['open-status', () => 'OPEN'],
  ['is-owned', () => 'true'],
  ['product-category', frequentCategory],
  ['newest-time', () => `${monthsAgo(6)}T00:00:00Z`],
  ['oldest-time', () => `${monthsAgo(18)}T00:00:00Z`],
  ['newest-date', () => monthsAgo(6)],
  ['oldest-date', () => monthsAgo(18)],
])

const pagingParameters = ['page', 'page-size']

/** One filter of the list, which needs no records; undefined if the list has no such filter. */
export function pickFilter(context: CheckContext, list: PagedList): Filter | undefined {
  const fixed = {
    'max-amount': '0',
    'open-status': 'OPEN',
    'newest-time': `${monthsAgo(6)}T00:00:00Z`,
    'newest-date': monthsAgo(6),
  }
  const found = Object.entries(fixed).find(([parameter]) => hasParameter(list, parameter))
  return found && toFilter(context, list, ...found)
}

/** Every filter of the list, each on its own. */
export async function pickFilters(context: CheckContext, list: PagedList): Promise<Filter[]> {
  const parameters = Object.keys(list.operation.query.properties).filter(
    (parameter) => !pagingParameters.includes(parameter),
  )
  if (parameters.length === 0) return []
  const { subject, whole } = await readWholeList(context, list, { recordsMin: 2 })
  const accounts = await readAccountRecords(context, subject.customerId)
  return parameters.flatMap((parameter) => {
    const pickValue = filterValues.get(parameter)
    if (!pickValue) {
      throw new TypeError(`${list.ref}: filterValues in list-filters.ts has no ${parameter}`)
    }
    const value = pickValue({ list, records: whole.records, accounts })
    return value === undefined ? [] : [toFilter(context, list, parameter, value)]
  })
}

function toFilter(
  { options }: CheckContext,
  { ref }: PagedList,
  parameter: string,
  value: string,
): Filter {
  return { [resolveName(options.parameters, ref, parameter)]: value }
}

function monthsAgo(months: number): string {
  return Temporal.Now.plainDateISO('UTC').subtract({ months }).toString()
}

function medianAmount(records: readonly Fields[]): string | undefined {
  const amounts = records
    .flatMap(({ amount }) => (isDecimal(amount) ? [amount] : []))
    .sort((a, b) => Number(a) - Number(b))
  return amounts[Math.floor(amounts.length / 2)]
}

/** A word that many records contain, and not all. */
function frequentWord(records: readonly Fields[]): string | undefined {
  const words = records.flatMap(({ description }) =>
    typeof description === 'string' ? [...new Set(description.match(/[A-Za-z0-9]{3,}/g))] : [],
  )
  return mostFrequent(words.filter((word) => !isInEvery(records, word)))
}

function isInEvery(records: readonly Fields[], word: string): boolean {
  const part = word.toLowerCase()
  return records.every(({ description, reference }) =>
    `${description} ${reference}`.toLowerCase().includes(part),
  )
}

function frequentCategory({ list, records, accounts }: FilterInput): string | undefined {
  const categories = records.map(
    (record) => accounts.get(String(readAccountId(list, record)))?.['productCategory'],
  )
  return mostFrequent(categories.filter((value) => typeof value === 'string'))
}

function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [first] = [...counts].sort(([, a], [, b]) => b - a)
  return first?.[0]
}
