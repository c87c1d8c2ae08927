import type { PageRequest } from '../../../src/contract/index.ts'
import type { EntriesQuery, Missing, Page, ProviderStore } from '../../../src/provider/store.ts'
import type { Body, Outgoing, Seam } from '../provider.ts'

/** Our server with one fault, and the checks that must detect it. */
export interface Fault {
  /** Completes the sentence "a provider where …". */
  readonly name: string
  readonly seam: Seam
  /** The ids of the checks. */
  readonly detectedBy: readonly string[]
  /** Other checks whose requests they need. */
  readonly requires?: readonly string[]
  /** Allowed by the interface: only a strict run detects it. */
  readonly strict?: boolean
}

export type Fields = Record<string, unknown>

/** Changes successful responses of the operations with these references; of all operations if there are none. */
export function onSuccess(
  change: (body: Body, sent: Outgoing) => unknown,
  ...refs: readonly string[]
): Seam {
  return {
    refs,
    answer: (body, sent) => {
      const isSelected = sent.status === 200 && (refs.length === 0 || refs.includes(sent.ref))
      return isSelected && body !== undefined ? change(body, sent) : body
    },
  }
}

/** Changes the pages of lists. */
export function onPages(
  change: (page: Body, sent: Outgoing) => void,
  ...refs: readonly string[]
): Seam {
  return onSuccess(
    (body, sent) => {
      if (body.links) change(body, sent)
      return body
    },
    ...refs,
  )
}

/** The records of a page, or the only record in `data`. */
export function recordsIn({ data, links }: Body): Fields[] {
  if (!data || Array.isArray(data)) return []
  const [records] = Object.values(data) as Fields[][]
  return links ? (records ?? []) : [data]
}

/** Changes every record of some operations. */
export function onRecords(change: (record: Body) => void, ...refs: readonly string[]): Seam {
  return onSuccess(
    (body) => {
      for (const record of recordsIn(body)) change(record)
      return body
    },
    ...refs,
  )
}

/** Changes responses with a status. */
export function onStatus(status: number, change: (body: Body, sent: Outgoing) => unknown): Seam {
  return { answer: (body, sent) => (sent.status === status ? change(body, sent) : body) }
}

export function onStore(change: (store: ProviderStore) => Partial<ProviderStore>): Seam {
  return { store: (store) => ({ ...store, ...change(withStrings(store)) }) }
}

/** A store that returns strings and no bytes, so that faults can parse them. */
function withStrings(store: ProviderStore): ProviderStore {
  const toText = (item: string | Uint8Array) =>
    typeof item === 'string' ? item : Buffer.from(item).toString()
  const toStrings = (page: Page<string | Uint8Array> | Missing) =>
    isMissing(page) ? page : { ...page, items: page.items.map(toText) }
  return {
    ...store,
    listEntries: async (query) => toStrings(await store.listEntries(query)),
    listEntriesOfAccounts: async (query) => toStrings(await store.listEntriesOfAccounts(query)),
  }
}

/** B3 implemented in memory: the transactions of an account, filtered and then arranged. */
export function transactionsInMemory(
  arrange: (records: Body[], query: EntriesQuery) => Body[],
  wrong: Partial<typeof correctFilters> = {},
): Seam {
  const filters = Object.values({ ...correctFilters, ...wrong })
  return onStore((store) => ({
    async listEntries(query) {
      if (query.list !== 'transaction') return store.listEntries(query)
      const { minAmount: _min, maxAmount: _max, text: _text, ...rest } = query
      const all = await store.listEntries({ ...rest, page: 1, pageSize: 1000 })
      if (isMissing(all)) return all
      const found: Body[] = JSON.parse(`[${all.items.join(',')}]`)
      const matching = found.filter((record) => filters.every((filter) => filter(record, query)))
      return pageInMemory(arrange(matching, query), query)
    },
  }))
}

export function pageInMemory(
  records: readonly unknown[],
  { page, pageSize }: PageRequest,
): Page<string> {
  const start = (page - 1) * pageSize
  const items = records.slice(start, start + pageSize).map((record) => JSON.stringify(record))
  return { items, total: records.length }
}

export function isMissing(result: Page<unknown> | Missing | string | unknown): result is Missing {
  return typeof result === 'object' && result !== null && 'missing' in result
}

/** The filters of B3. A fault replaces one of them. */
export const correctFilters = {
  min: (record: Body, { minAmount }: EntriesQuery) =>
    minAmount === undefined || cents(record.amount) >= cents(minAmount),
  max: (record: Body, { maxAmount }: EntriesQuery) =>
    maxAmount === undefined || cents(record.amount) <= cents(maxAmount),
  text: (record: Body, { text }: EntriesQuery) =>
    text === undefined ||
    [record.description, record.reference].some((value) =>
      value?.toLowerCase().includes(text.toLowerCase()),
    ),
}

export function filteredInMemory(wrong: Partial<typeof correctFilters>): Seam {
  return transactionsInMemory((records) => records, wrong)
}

/** Exact for amounts with up to two decimal places. */
export function cents(amount: string): bigint {
  const [whole = '0', part = ''] = amount.replace('-', '').split('.')
  const value = BigInt(whole + part.padEnd(2, '0').slice(0, 2))
  return amount.startsWith('-') ? -value : value
}

/** Sets a parameter of a link; undefined removes it. */
export function changeLink(link: string, name: string, value: string | undefined): string {
  const query = new URLSearchParams(link)
  if (value === undefined) query.delete(name)
  else query.set(name, value)
  return query.toString()
}
