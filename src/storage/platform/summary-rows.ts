import type { Actor } from '../../contract/index.ts'
import type {
  Page,
  ProductContent,
  StoredSummary,
  SummaryQuery,
} from '../../platform/catalogue/store.ts'
import { summarizeTexts } from '../../platform/catalogue/summary-texts.ts'
import { pageValues } from '../request-values.ts'
import { boolean, integer, nullable, type Sql, text } from '../sql.ts'
import { actorColumns, authorRow, withActor } from './actor-columns.ts'
import type { PutRow } from './rows.ts'

/** `version` is null for a draft. */
export function summaryRow(
  id: string,
  content: Omit<ProductContent, 'record' | 'shown'>,
  { version, updatedAt }: { readonly version: number | null; readonly updatedAt: number },
  by: Actor,
): PutRow {
  const { category, effectiveFrom, effectiveTo } = content
  const key = { id, isDraft: version === null }
  const filtered = { category, effectiveFrom, effectiveTo }
  const author = { updatedAt, ...authorRow('updatedBy', by) }
  return {
    table: 'product_summary',
    key: Object.keys(key),
    row: { ...key, version, ...summarizeTexts(id, content), ...filtered, ...author },
  }
}

const columns = `id, name, category, brand, version, effective_from, effective_to, updated_at,
  updated_by, updated_by_name, updated_by_issuer`
const summary = {
  id: text,
  name: text,
  category: text,
  brand: text,
  version: nullable(integer),
  effectiveFrom: nullable(integer),
  effectiveTo: nullable(integer),
  updatedAt: integer,
  ...actorColumns,
  hasDraft: boolean,
}

const orders = { updated: 'updated_at desc, id', name: 'name_key, id' }

export async function listSummaries(
  { page: readPage, dialect: { position } }: Sql,
  { text, id, category, brand, state, sort, now, ...request }: SummaryQuery,
): Promise<Page<StoredSummary>> {
  // A text has few matches, which are found once and sorted. Otherwise, they are read in the order of an index.
  const { items, total } = await readPage(
    summary,
    `with found as ${text === undefined ? 'not materialized' : 'materialized'} (
       select * from product_summary s
       where (not is_draft or not exists (select 1 from product p where p.id = s.id))
         and (cast($1 as text) is null or ${position}(search, $1) > 0)
         and (cast($2 as text) is null or category = $2)
         and (cast($3 as text) is null or brand = $3)
         and (cast($4 as text) is null or $4 = case
           when is_draft then 'DRAFT' when effective_from > $5 then 'SCHEDULED'
           when effective_to <= $5 then 'RETIRED' else 'PUBLISHED' end)
         ${id === undefined ? '' : 'and id = $8'})
     select counted.total, page.* from (select count(*) as total from found) as counted
     left join (
       select ${columns}, is_draft or exists (
         select 1 from product_summary d where d.id = f.id and d.is_draft) as has_draft, name_key
       from found f order by ${orders[sort]} limit $7 offset $6
     ) as page on true order by ${orders[sort]}`,
    [text, category, brand, state, now, ...pageValues(request), ...(id === undefined ? [] : [id])],
  )
  return { items: items.map(withActor), total }
}
