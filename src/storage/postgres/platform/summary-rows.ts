import type pg from 'pg'
import type {
  Author,
  ProductContent,
  StoredSummary,
  SummaryPage,
  SummaryQuery,
} from '../../../platform/catalogue/store.ts'
import { summarizeTexts } from '../../../platform/catalogue/summary.ts'
import { escapeNul, unescapeNul } from '../driver/escape-nul.ts'
import { type Query, runStatement } from '../driver/statements.ts'

const replaceExisting = `on conflict (id, is_draft) do update set version = excluded.version,
  name = excluded.name, name_key = excluded.name_key, brand = excluded.brand,
  category = excluded.category, effective_from = excluded.effective_from,
  effective_to = excluded.effective_to, updated_at = excluded.updated_at,
  updated_by = excluded.updated_by, updated_by_name = excluded.updated_by_name,
  search = excluded.search`

const put = {
  name: 'put-summary',
  text: `insert into product_summary
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ${replaceExisting}`,
}
const remove = {
  name: 'remove-summary',
  text: 'delete from product_summary where id = $1 and is_draft = $2',
}

/** Puts many rows, which are given as one array per column. */
export const putSummaryRows = `insert into product_summary
  select * from unnest($1::text[], $2::boolean[], $3::integer[], $4::text[], $5::text[], $6::text[],
    $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::text[])
  ${replaceExisting}`

export async function putSummary(query: Query, row: SummaryRow): Promise<void> {
  await query(put, row)
}

export async function removeSummary(
  query: Query,
  id: string,
  kind: 'product' | 'draft',
): Promise<void> {
  await query(remove, [escapeNul(id), kind === 'draft'])
}

export type SummaryRow = readonly (string | number | boolean | null)[]

/** `version` is null for a draft. */
export function createSummaryRow(
  id: string,
  content: Omit<ProductContent, 'record' | 'shown'>,
  { version, updatedAt }: { readonly version: number | null; readonly updatedAt: number },
  by: Author,
): SummaryRow {
  const { category, effectiveFrom = null, effectiveTo = null } = content
  const { name, nameKey, brand, search } = summarizeTexts(id, content)
  const texts = [name, nameKey, brand].map(escapeNul)
  const filtered = [category, effectiveFrom, effectiveTo]
  const author = [updatedAt, escapeNul(by.id), escapeNul(by.name)]
  const isDraft = version === null
  return [escapeNul(id), isDraft, version, ...texts, ...filtered, ...author, escapeNul(search)]
}

const filters = `(not is_draft or not exists (select from product p where p.id = s.id))
  and ($1::text is null or position($1 in search) > 0) and ($2::text is null or category = $2)
  and ($3::text is null or brand = $3) and ($4::text is null or $4 = case
    when is_draft then 'DRAFT' when effective_from > $5 then 'SCHEDULED'
    when effective_to <= $5 then 'RETIRED' else 'PUBLISHED' end)`

const orders = { updated: 'updated_at desc, id', name: 'name_key, id' }

const lists = { updated: listBy('updated'), name: listBy('name') }

function listBy(sort: keyof typeof orders) {
  return {
    name: `list-summaries-${sort}`,
    text: `select counted.total, page.* from
      (select count(*) as total from product_summary s where ${filters}) as counted
      left join lateral (
        select id, name, category, brand, version, effective_from, effective_to, updated_at,
          updated_by, updated_by_name, is_draft or exists (
            select from product_summary d where d.id = s.id and d.is_draft) as has_draft, name_key
        from product_summary s where ${filters} order by ${orders[sort]} limit $6 offset $7
      ) as page on true order by ${orders[sort]}`,
  }
}

export async function listSummaries(
  pool: pg.Pool,
  { text, category, brand, state, sort, now, page, pageSize }: SummaryQuery,
): Promise<SummaryPage> {
  const rows = await runStatement(pool, lists[sort], [
    text === undefined ? null : escapeNul(text),
    category ?? null,
    brand === undefined ? null : escapeNul(brand),
    state ?? null,
    now,
    pageSize,
    Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER),
  ])
  const items = rows.filter(([, id]) => id !== null).map(toSummary)
  return { items, total: Number(rows[0]?.[0]) }
}

function toSummary([, ...row]: readonly (string | null)[]): StoredSummary {
  const [id, name, category, brand, version, from, to, updatedAt, authorId, authorName, draft] = row
  return {
    id: unescapeNul(id ?? ''),
    name: unescapeNul(name ?? ''),
    category: category ?? '',
    brand: unescapeNul(brand ?? ''),
    version: toNumber(version),
    hasDraft: draft === 't',
    effectiveFrom: toNumber(from),
    effectiveTo: toNumber(to),
    updatedAt: Number(updatedAt),
    by: { id: unescapeNul(authorId ?? ''), name: unescapeNul(authorName ?? '') },
  }
}

function toNumber(text: string | null | undefined): number | null {
  return text == null ? null : Number(text)
}
