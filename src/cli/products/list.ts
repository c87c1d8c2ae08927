import { escapeInvisible } from '../../contract/characters.ts'
import { values } from '../../contract/enumerations.ts'
import { findPublicationFaults } from '../../contract/index.ts'
import { pageSizeMax, publicationFaultsMax, publicPageSizeMax } from '../../contract/limits.ts'
import { namePublicity } from '../../contract/publicity.ts'
import type { CatalogueStore, DraftSummary } from '../../platform/catalogue/store.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { formatTime } from './find.ts'

export interface ListFlags {
  readonly category?: string | undefined
  readonly brand?: string | undefined
  readonly drafts?: true
  readonly limit: number
  readonly json?: boolean | undefined
}

/** Prints the published products, or the drafts. */
export async function listProducts(
  store: CatalogueStore,
  { category, brand, drafts, limit, json }: ListFlags,
  terminal: Terminal,
): Promise<void> {
  requireCategory(category)
  const filters = { category, brand }
  // One more than is printed, so that a cut is noticed.
  const needed = limit + 1
  const rows = drafts ? readDraftRows(store, needed) : readProductRows(store, filters, needed)
  let printed = 0
  for await (const row of rows) {
    if (printed === limit) {
      const { total } = await (drafts ? store.listDrafts(1, 1) : listPage(store, filters, 1, 1))
      terminal.error(`${total - printed} more: use a filter or a higher --limit\n`)
      return
    }
    printed += 1
    terminal.out(json ? toJsonLine(row.json) : `${escapeInvisible(row.line)}\n`)
  }
}

interface Row {
  readonly json: object
  readonly line: string
}

async function* readProductRows(
  store: CatalogueStore,
  filters: Filters,
  needed: number,
): AsyncGenerator<Row> {
  const drafts = new Map<string, DraftSummary>()
  for await (const draft of readDrafts(store)) drafts.set(draft.id, draft)
  for await (const { item, text } of readProducts(store, filters, needed)) {
    const { id, version, lastUpdated: updated, origin } = item
    const product = JSON.parse(text)
    const { name, product_category: category } = product
    const gaps = findPublicationFaults(product, publicationFaultsMax).length
    const draft = draftStatus(drafts.get(id))
    const status = (draft === 'none' ? '-' : draft).padEnd('outdated'.length)
    const source = origin === null ? '' : `  from ${origin}`
    yield {
      json: { id, version, gaps, draft, updated, origin, category, name },
      line: `${id}  version ${version}  ${namePublicity(gaps)}  ${status}  updated ${updated}${source}  ${category}  ${name}`,
    }
  }
}

async function* readDraftRows(store: CatalogueStore, needed: number): AsyncGenerator<Row> {
  for await (const summary of readDrafts(store, needed)) {
    const { id, base, changedAt, name } = summary
    const draft = draftStatus(summary)
    const updated = formatTime(changedAt)
    const by = summary.by.name
    const status = draft.padEnd('outdated'.length)
    yield {
      json: { id, base, draft, updated, by, name },
      line: `${id}  ${status}  of version ${base}  saved ${updated} by ${by}  ${name}`,
    }
  }
}

function requireCategory(category: string | undefined): void {
  const categories: readonly string[] = values.productCategory
  if (category === undefined || categories.includes(category)) return
  throw new CommandError(2, `--category must be one of ${categories.join(', ')}`)
}

/** If the caller needs fewer than a page, no more are read. */
export async function* readDrafts(
  store: CatalogueStore,
  needed = pageSizeMax,
): AsyncGenerator<DraftSummary> {
  const pageSize = Math.min(needed, pageSizeMax)
  for (let page = 1; ; page += 1) {
    const { items } = await store.listDrafts(page, pageSize)
    yield* items
    if (items.length < pageSize) return
  }
}

interface Filters {
  readonly category?: string | undefined
  readonly brand?: string | undefined
}

function listPage(
  store: CatalogueStore,
  { category, brand }: Filters,
  page: number,
  pageSize: number,
) {
  const query = { category, brand, effective: 'ALL', now: 0, updatedSince: undefined } as const
  return store.list({ ...query, page, pageSize })
}

/** The published products, with the text of each. If the caller needs fewer than a page, no more are read. */
export async function* readProducts(
  store: CatalogueStore,
  filters: Filters = {},
  needed = publicPageSizeMax,
) {
  const pageSize = Math.min(needed, publicPageSizeMax)
  for (let page = 1; ; page += 1) {
    const { items } = await listPage(store, filters, page, pageSize)
    const contents = await store.readVersions(items)
    for (const [index, item] of items.entries()) yield { item, text: contents[index] ?? '{}' }
    if (items.length < pageSize) return
  }
}

function draftStatus(draft: DraftSummary | undefined): 'draft' | 'outdated' | 'none' {
  if (!draft) return 'none'
  return draft.base === draft.newest ? 'draft' : 'outdated'
}

export function toJsonLine(row: object): string {
  return `${escapeInvisible(JSON.stringify(row))}\n`
}
