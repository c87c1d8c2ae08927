import type { DatabaseSync } from 'node:sqlite'
import type {
  Author,
  ProductContent,
  StoredSummary,
  SummaryPage,
  SummaryQuery,
} from '../../../platform/catalogue/store.ts'
import { summarizeTexts } from '../../../platform/catalogue/summary.ts'
import { command, query, type snapshots } from '../driver/statements.ts'

/** Summaries of products and of drafts. The caller of `put` and `remove` opens the transaction. */
export function openSummaryRows(database: DatabaseSync) {
  const insert = command(
    database,
    'insert or replace into product_summary values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const deleteRow = command(database, 'delete from product_summary where id = ? and is_draft = ?')

  return {
    put(
      id: string,
      content: Omit<ProductContent, 'record' | 'shown'>,
      { version, updatedAt }: { readonly version: number | null; readonly updatedAt: number },
      by: Author,
    ): void {
      const { category, effectiveFrom = null, effectiveTo = null } = content
      const { name, nameKey, brand, search } = summarizeTexts(id, content)
      const isDraft = Number(version === null)
      const filtered = [category, effectiveFrom, effectiveTo] as const
      const author = [updatedAt, by.id, by.name] as const
      insert.run(id, isDraft, version, name, nameKey, brand, ...filtered, ...author, search)
    },

    removeProduct(id: string): void {
      deleteRow.run(id, 0)
    },

    removeDraft(id: string): void {
      deleteRow.run(id, 1)
    },
  }
}

interface Row extends Omit<StoredSummary, 'by' | 'hasDraft'> {
  readonly hasDraft: number
  readonly authorId: string
  readonly authorName: string
}

const filters = `(is_draft = 0 or not exists (select 1 from product p where p.id = s.id))
  and (?1 is null or instr(search, ?1) > 0) and (?2 is null or category = ?2)
  and (?3 is null or brand = ?3) and (?4 is null or ?4 = case
    when is_draft = 1 then 'DRAFT' when effective_from > ?5 then 'SCHEDULED'
    when effective_to <= ?5 then 'RETIRED' else 'PUBLISHED' end)`

const orders = { updated: 'updated_at desc, id', name: 'name_key, id' }

/**
 * Up to this number of matches, they are found in the order of the table and sorted. To find few matches, reading the
 * whole table in the order of an index takes several times as long.
 */
const sortedMax = 2000

export function openSummaryList(
  database: DatabaseSync,
  snapshot: ReturnType<typeof snapshots>,
): (query: SummaryQuery) => SummaryPage {
  const count = query<{ total: number }>(
    database,
    `select count(*) as total from product_summary s where ${filters}`,
  )
  const listBy = (order: string) =>
    query<Row>(
      database,
      `select id, name, category, brand, version, effective_from as effectiveFrom,
         effective_to as effectiveTo, updated_at as updatedAt, updated_by as authorId,
         updated_by_name as authorName, is_draft = 1 or exists (
           select 1 from product_summary d where d.id = s.id and d.is_draft = 1) as hasDraft
       from product_summary s where ${filters} order by ${order} limit ?6 offset ?7`,
    )
  const inOrder = { updated: listBy(orders.updated), name: listBy(orders.name) }
  // A unary plus excludes the index.
  const sorted = { updated: listBy(`+${orders.updated}`), name: listBy(`+${orders.name}`) }

  return ({ text, category, brand, state, sort, now, page, pageSize }) => {
    const values = [text ?? null, category ?? null, brand ?? null, state ?? null, now] as const
    return snapshot(() => {
      const total = count.first(...values)?.total ?? 0
      const start = (page - 1) * pageSize
      if (start >= total) return { items: [], total }
      const listed = (total <= sortedMax ? sorted : inOrder)[sort]
      return { items: listed.all(...values, pageSize, start).map(toSummary), total }
    })
  }
}

function toSummary({ authorId, authorName, hasDraft, ...row }: Row): StoredSummary {
  return { ...row, hasDraft: hasDraft === 1, by: { id: authorId, name: authorName } }
}
