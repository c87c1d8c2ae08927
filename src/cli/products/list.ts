import { escapeInvisible } from '../../contract/characters.ts'
import { values } from '../../contract/enumerations.ts'
import { pageSizeMax, publicPageSizeMax } from '../../contract/limits.ts'
import type { CatalogueStore, DraftSummary, Origin } from '../../platform/catalogue/store.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { formatTime } from './find.ts'

export interface ListFlags {
  readonly category?: string | undefined
  readonly brand?: string | undefined
  readonly drafts?: true
  readonly limit: number
  readonly json?: boolean | undefined
}

export async function listProducts(
  store: CatalogueStore,
  { category, brand, limit, json }: ListFlags,
  terminal: Terminal,
): Promise<void> {
  requireCategory(category)
  const drafts = new Map<string, DraftSummary>()
  for await (const draft of readDrafts(store)) drafts.set(draft.id, draft)
  const pageSize = Math.min(limit, publicPageSizeMax)
  let printed = 0
  for (let page = 1; ; page += 1) {
    const query = { category, brand, effective: 'ALL', now: 0, updatedSince: undefined } as const
    const { items, total } = await store.list({ ...query, page, pageSize })
    const contents = await store.readVersions(items)
    for (const [index, { id, version, lastUpdated, origin }] of items.entries()) {
      if (printed === limit) break
      printed += 1
      const { name, product_category } = JSON.parse(contents[index] ?? '{}')
      const draft = draftStatus(drafts.get(id))
      const published = { id, version, draft, updated: lastUpdated, origin }
      const row = { ...published, category: product_category, name }
      terminal.out(json ? toJsonLine(row) : formatRow(row))
    }
    if (items.length < pageSize || printed === limit) return noteMore(total - printed, terminal)
  }
}

export async function listDrafts(
  store: CatalogueStore,
  { limit, json }: ListFlags,
  terminal: Terminal,
): Promise<void> {
  let printed = 0
  for await (const draft of readDrafts(store)) {
    if (printed === limit) {
      const { total } = await store.listDrafts(1, 1)
      return noteMore(total - printed, terminal)
    }
    printed += 1
    const { id, base, changedAt, by, name } = draft
    const row = { id, base, draft: draftStatus(draft), updated: formatTime(changedAt), by: by.name }
    terminal.out(json ? toJsonLine({ ...row, name }) : formatDraftRow({ ...row, name }))
  }
}

function requireCategory(category: string | undefined): void {
  const categories: readonly string[] = values.productCategory
  if (category === undefined || categories.includes(category)) return
  throw new CommandError(2, `--category must be one of ${categories.join(', ')}`)
}

export async function* readDrafts(store: CatalogueStore): AsyncGenerator<DraftSummary> {
  for (let page = 1; ; page += 1) {
    const { items } = await store.listDrafts(page, pageSizeMax)
    yield* items
    if (items.length < pageSizeMax) return
  }
}

type DraftStatus = 'draft' | 'outdated' | 'none'

function draftStatus(draft: DraftSummary | undefined): DraftStatus {
  if (!draft) return 'none'
  return draft.base === draft.newest ? 'draft' : 'outdated'
}

interface Row {
  readonly id: string
  readonly version: number
  readonly draft: DraftStatus
  readonly updated: string
  readonly origin: Origin
  readonly category: string
  readonly name: string
}

function formatRow({ id, version, draft, updated, origin, category, name }: Row): string {
  const status = (draft === 'none' ? '-' : draft).padEnd('outdated'.length)
  const source = origin === null ? '' : `  from ${origin}`
  const line = `${id}  version ${version}  ${status}  updated ${updated}${source}  ${category}  ${name}`
  return `${escapeInvisible(line)}\n`
}

function formatDraftRow({
  id,
  base,
  draft,
  updated,
  by,
  name,
}: Pick<Row, 'id' | 'draft' | 'updated' | 'name'> & {
  readonly base: number
  readonly by: string
}): string {
  const status = draft.padEnd('outdated'.length)
  const line = `${id}  ${status}  of version ${base}  saved ${updated} by ${by}  ${name}`
  return `${escapeInvisible(line)}\n`
}

export function toJsonLine(row: object): string {
  return `${escapeInvisible(JSON.stringify(row))}\n`
}

function noteMore(count: number, terminal: Terminal): void {
  if (count > 0) terminal.error(`${count} more: use a filter or a higher --limit\n`)
}
