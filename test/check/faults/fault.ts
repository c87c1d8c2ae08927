import type { PageRequest } from '../../../src/contract/index.ts'
import type { EntriesQuery, Missing, Page, ProviderStore } from '../../../src/provider/store.ts'
import type { Body, Outgoing, Seam } from '../provider.ts'

/** Our server with one thing wrong, and the checks that name the clause which it breaks. */
export interface Fault {
  readonly name: string
  readonly seam: Seam
  readonly catches: readonly string[]
  /** Lawful, and not what we decided: a strict run alone minds it. */
  readonly strict?: true
}

export type Fields = Record<string, unknown>

/** Changes the successes of some operations, by their references; of all where none is named. */
export function onSuccess(
  change: (body: Body, sent: Outgoing) => unknown,
  ...refs: readonly string[]
): Seam {
  return {
    answer: (body, sent) => {
      const isMeant = sent.status === 200 && (refs.length === 0 || refs.includes(sent.ref))
      return isMeant && body !== undefined ? change(body, sent) : body
    },
  }
}

/** Changes the pages of lists: their records, totals and links. */
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

export function recordsIn(page: Body): Fields[] {
  const [records] = Object.values(page.data) as Fields[][]
  return records ?? []
}

/** Changes every record of some lists. */
export function onRecords(change: (record: Body) => void, ...refs: readonly string[]): Seam {
  return onPages(
    (page) => {
      for (const record of recordsIn(page)) change(record)
    },
    ...refs,
  )
}

/** Answers a refusal in another way. */
export function onRefusal(status: number, change: (body: Body, sent: Outgoing) => unknown): Seam {
  return { answer: (body, sent) => (sent.status === status ? change(body, sent) : body) }
}

export function onStore(change: (store: ProviderStore) => Partial<ProviderStore>): Seam {
  return { store: (store) => ({ ...store, ...change(inTexts(store)) }) }
}

/** The store as one that gives texts and no bytes: a fault takes them apart. */
function inTexts(store: ProviderStore): ProviderStore {
  const textOf = (item: string | Uint8Array) =>
    typeof item === 'string' ? item : Buffer.from(item).toString()
  const readable = (page: Page<string | Uint8Array> | Missing) =>
    isMissing(page) ? page : { ...page, items: page.items.map(textOf) }
  return {
    ...store,
    listEntries: async (query) => readable(await store.listEntries(query)),
    listEntriesOfAccounts: async (query) => readable(await store.listEntriesOfAccounts(query)),
  }
}

/** B3 as somebody would write it by hand: the transactions of an account, filtered, then in some order. */
export function transactionsByHand(
  arrange: (records: Body[], query: EntriesQuery) => Body[],
  wrong: Partial<typeof rightFilters> = {},
): Seam {
  const filters = Object.values({ ...rightFilters, ...wrong })
  return onStore((store) => ({
    async listEntries(query) {
      if (query.list !== 'transaction') return store.listEntries(query)
      const { minAmount: _min, maxAmount: _max, text: _text, ...rest } = query
      const all = await store.listEntries({ ...rest, page: 1, pageSize: 1000 })
      if (isMissing(all)) return all
      const found: Body[] = JSON.parse(`[${all.items.join(',')}]`)
      const fitting = found.filter((record) => filters.every((filter) => filter(record, query)))
      return pageByHand(arrange(fitting, query), query)
    },
  }))
}

export function pageByHand(
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

/** What B3 is asked for, each filter as it should be; a fault replaces one. */
export const rightFilters = {
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

export function filteredByHand(wrong: Partial<typeof rightFilters>): Seam {
  return transactionsByHand((records) => records, wrong)
}

/** Exact, as long as nothing is finer than a cent. */
export function cents(amount: string): bigint {
  const [whole = '0', part = ''] = amount.replace('-', '').split('.')
  const value = BigInt(whole + part.padEnd(2, '0').slice(0, 2))
  return amount.startsWith('-') ? -value : value
}

/** One parameter of a link set to another value; undefined takes it away. */
export function relinked(link: string, name: string, value: string | undefined): string {
  const query = new URLSearchParams(link)
  if (value === undefined) query.delete(name)
  else query.set(name, value)
  return query.toString()
}
