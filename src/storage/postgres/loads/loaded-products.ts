import type { LineOutcome } from '../../../intake/line-counts.ts'
import type { ProductItem } from '../../../intake/writer.ts'
import type { Author, NewestVersion } from '../../../platform/catalogue/store.ts'
import {
  createDeletion,
  createVersion,
  exists,
  isChanged,
} from '../../../platform/catalogue/versions.ts'
import { createSummaryRow, putSummaryRows, type SummaryRow } from '../platform/summary-rows.ts'
import type { CountedLines } from './count-lines.ts'
import { fileOf } from './place.ts'
import type { Run } from './run.ts'

/** The last line of a load for each product. */
export const lastProducts = `
  select distinct on (id) id, item, ${fileOf('place')} as file
  from staged_product order by id, place desc`

export interface LoadedProduct {
  readonly id: string
  readonly item: string | null
  readonly file: number
}

/** How many products are merged with one statement. Few, as a line may be megabytes long. */
export const productsAtOnce = 25

/** Merges products that the load has locked, and counts the changes. An unchanged product gets no new version. */
export async function mergeProducts(
  run: Run,
  products: readonly LoadedProduct[],
  loadTime: Temporal.Instant,
  author: Author,
): Promise<CountedLines[]> {
  const newest = await newestVersions(
    run,
    products.map(({ id }) => id),
  )
  const newVersion = { by: author, clock: () => loadTime }
  const versions: VersionRow[] = []
  const current: CurrentRow[] = []
  const summaries: SummaryRow[] = []
  const removed: string[] = []
  const counts: CountedLines[] = []
  const count = (file: number, outcome: LineOutcome) => {
    // Every line of a product was counted as unchanged (countProducts).
    counts.push({ file, type: 'product', outcome, lines: 1 })
    counts.push({ file, type: 'product', outcome: 'unchanged', lines: -1 })
  }
  for (const { id, item, file } of products) {
    const before = newest.get(id)
    if (item === null) {
      if (!exists(before)) continue
      const { version, change, changedAt, lastUpdated } = createDeletion(before, newVersion)
      versions.push([id, version, change, changedAt, lastUpdated, null, null, null])
      removed.push(id)
      count(file, 'deleted')
      continue
    }
    const loaded = JSON.parse(item) as ProductItem
    if (!isChanged(loaded, before)) continue
    count(file, exists(before) ? 'changed' : 'created')
    const { content } = loaded
    const created = createVersion(id, before, content, { ...newVersion, loaded })
    const { version, change, changedAt, lastUpdated, updatedAt, record, origin } = created
    const { category, brand, effectiveFrom = null, effectiveTo = null, shown } = content
    versions.push([id, version, change, changedAt, lastUpdated, record, shown, origin])
    current.push([id, version, category, brand, effectiveFrom, effectiveTo, updatedAt])
    const summary = { version, updatedAt: changedAt }
    summaries.push(createSummaryRow(id, content, summary, author))
  }
  if (versions.length > 0)
    await run(insertVersions, [...columnsOf(versions), author.id, author.name])
  if (current.length > 0) {
    await run(putCurrent, columnsOf(current))
    await run(putSummaryRows, columnsOf(summaries))
  }
  if (removed.length > 0) {
    await run('delete from product where id = any ($1::text[])', [removed])
    await run('delete from product_summary where id = any ($1::text[]) and not is_draft', [removed])
  }
  return counts
}

type VersionRow = [string, number, string, number, string, ...(string | null)[]]
type CurrentRow = [string, number, string, string, number | null, number | null, number]

const insertVersions = `
  insert into product_version (product, version, change, changed_at, last_updated, record, shown,
    origin, changed_by, changed_by_name)
  select v.*, $9, $10 from unnest($1::text[], $2::integer[], $3::text[], $4::bigint[], $5::text[],
    $6::text[], $7::text[], $8::text[]) v`

const putCurrent = `
  insert into product (id, version, category, brand, effective_from, effective_to, updated_at)
  select * from unnest($1::text[], $2::integer[], $3::text[], $4::text[], $5::bigint[],
    $6::bigint[], $7::bigint[])
  on conflict (id) do update set version = excluded.version, category = excluded.category,
    brand = excluded.brand, effective_from = excluded.effective_from,
    effective_to = excluded.effective_to, updated_at = excluded.updated_at`

async function newestVersions(
  run: Run,
  ids: readonly string[],
): Promise<Map<string, NewestVersion>> {
  const { rows } = await run(
    `select v.* from unnest($1::text[]) p (id) cross join lateral (
       select product as id, version, change, last_updated as "lastUpdated", shown,
         origin
       from product_version where product = p.id order by version desc limit 1) v`,
    [ids],
  )
  return new Map((rows as (NewestVersion & { readonly id: string })[]).map((row) => [row.id, row]))
}

/** Rows as one array per column, which is how a statement receives many rows. */
function columnsOf(rows: readonly (readonly unknown[])[]): unknown[][] {
  const width = rows[0]?.length ?? 0
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column]))
}
