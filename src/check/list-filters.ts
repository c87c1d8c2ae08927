import { isDecimal } from './compare.ts'
import type { CheckContext } from './context.ts'
import {
  accountOf,
  accountRecords,
  type Fields,
  type PagedList,
  wholeQuery,
  wholeWalk,
} from './lists.ts'
import { nameOf } from './parameters.ts'

export type Filter = Record<string, string>

/** One filter that excludes some records and keeps others, in most data; undefined where the list has none. */
export function narrowed(world: CheckContext, { ref, operation }: PagedList): Filter | undefined {
  const name = (parameter: string) => nameOf(world.options.parameters, ref, parameter)
  if (ref === 'B3') return { [name('max-amount')]: '0' }
  if (Object.hasOwn(operation.query.properties as object, 'open-status')) {
    return { 'open-status': 'OPEN' }
  }
  const newest = Temporal.Now.plainDateISO('UTC').subtract({ months: 6 })
  if (ref === 'E3') return { [name('newest-date')]: newest.toString() }
  if (ref === 'E4' || ref === 'E5') return { 'newest-time': `${newest}T00:00:00Z` }
  return undefined
}

/** Every filter of the list, each alone, with a value that the records at hand suggest. */
export async function filtersFor(world: CheckContext, list: PagedList): Promise<Filter[]> {
  const usual = narrowed(world, list)
  if (!usual) return []
  const { subject, whole } = await wholeWalk(world, list, { recordsMin: 2 })
  if (list.ref === 'B3') return transactionFilters(world, whole.records)
  const properties = list.operation.query.properties as object
  const filters = [usual]
  if (Object.hasOwn(properties, 'is-owned')) filters.push({ 'is-owned': 'true' })
  if (Object.hasOwn(properties, 'product-category')) {
    const accounts = await accountRecords(world, subject)
    const categories = whole.records.map(
      (record) => accounts.get(String(accountOf(list, record)))?.['productCategory'],
    )
    const frequent = mostFrequent(categories.filter((value) => typeof value === 'string'))
    if (frequent !== undefined) filters.push({ 'product-category': frequent })
  }
  if (Object.keys(wholeQuery(world, list)).length > 0) filters.push(oldestOf(world, list))
  return filters
}

function transactionFilters(world: CheckContext, records: readonly Fields[]): Filter[] {
  const name = (parameter: string) => nameOf(world.options.parameters, 'B3', parameter)
  const amounts = records
    .flatMap(({ amount }) => (isDecimal(amount) ? [amount] : []))
    .sort((a, b) => Number(a) - Number(b))
  const median = amounts[Math.floor(amounts.length / 2)]
  const words = records.flatMap(({ description }) =>
    typeof description === 'string' ? [...new Set(description.match(/[A-Za-z0-9]{3,}/g))] : [],
  )
  const text = mostFrequent(words.filter((word) => !isEverywhere(records, word)))
  return [
    ...(median === undefined
      ? []
      : [{ [name('max-amount')]: median }, { [name('min-amount')]: median }]),
    ...(text === undefined ? [] : [{ [name('text')]: text }]),
  ]
}

function isEverywhere(records: readonly Fields[], word: string): boolean {
  const part = word.toLowerCase()
  return records.every(({ description, reference }) =>
    `${description} ${reference}`.toLowerCase().includes(part),
  )
}

function oldestOf(world: CheckContext, { ref }: PagedList): Filter {
  const [parameter, suffix] = ref === 'E3' ? ['oldest-date', ''] : ['oldest-time', 'T00:00:00Z']
  const oldest = Temporal.Now.plainDateISO('UTC').subtract({ months: 18 })
  return { [nameOf(world.options.parameters, ref, parameter)]: `${oldest}${suffix}` }
}

function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [first] = [...counts].sort(([, a], [, b]) => b - a)
  return first?.[0]
}
