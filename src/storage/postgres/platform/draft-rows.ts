import type pg from 'pg'
import { checkPublish, checkRemove, checkSave } from '../../../platform/catalogue/draft-rules.ts'
import type { DraftContent, DraftStore, StoredDraft } from '../../../platform/catalogue/store.ts'
import { escapeNul, unescapeNul } from '../driver/escape-nul.ts'
import { inTransaction, type Query, runStatement } from '../driver/statements.ts'
import { useIdempotencyKey } from './idempotency-keys.ts'
import { newestVersion, putProduct } from './product-rows.ts'
import { createSummaryRow, putSummary, removeSummary } from './summary-rows.ts'

const columns = `d.product, d.tag, d.name, d.base, d.changed_at, d.changed_by, d.changed_by_name,
  coalesce((select max(version) from product_version v where v.product = d.product), 0)`
const read = {
  name: 'read-draft',
  text: `select ${columns}, d.record from product_draft d where d.product = $1`,
}
const list = {
  name: 'list-drafts',
  text: `select ${columns}, null, total from (select count(*) as total from product_draft) as counted
    left join (
      select * from product_draft order by product limit $1 offset $2
    ) as d on true order by d.product`,
}
const put = {
  name: 'put-draft',
  text: `insert into product_draft values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (product) do update set tag = excluded.tag, base = excluded.base,
      changed_at = excluded.changed_at, changed_by = excluded.changed_by,
      changed_by_name = excluded.changed_by_name, name = excluded.name, record = excluded.record`,
}
const deleteRow = { name: 'remove-draft', text: 'delete from product_draft where product = $1' }

async function remove(query: Query, id: string): Promise<void> {
  await query(deleteRow, [escapeNul(id)])
  await removeSummary(query, id, 'draft')
}

export function openDraftRows(pool: pg.Pool): DraftStore {
  /** Runs the work while no other transaction changes the product or its draft. */
  const withDraft = <Result>(
    id: string,
    work: (
      query: Query,
      newest: Awaited<ReturnType<typeof newestVersion>>,
      draft: StoredDraft | undefined,
    ) => Promise<Result>,
  ): Promise<Result> =>
    inTransaction(pool, async (query) => {
      const newest = await newestVersion(query, id)
      const [row] = await query(read, [escapeNul(id)])
      return work(query, newest, row && toStoredDraft(row))
    })

  return {
    createDraft: (id, draft, idempotency) =>
      inTransaction(pool, async (query) => {
        const first = { product: id, created: draft.clock().epochMilliseconds }
        const used = idempotency
          ? await useIdempotencyKey(query, draft.by.id, idempotency, first)
          : first
        if (used === 'keyReused' || used.product !== id) return used
        await putDraft(query, id, draft, 0, first.created)
        return used
      }),

    saveDraft: (id, draft) =>
      withDraft(id, async (query, newest, existing) => {
        const saved = checkSave(newest, existing, draft)
        if (typeof saved === 'string') return saved
        await putDraft(query, id, draft, saved.base, draft.clock().epochMilliseconds)
        return 'saved' as const
      }),

    async readDraft(id) {
      const [row] = await runStatement(pool, read, [escapeNul(id)])
      return row && toStoredDraft(row)
    },

    removeDraft: (id, ifTag) =>
      withDraft(id, async (query, _newest, existing) => {
        const conflict = checkRemove(existing, ifTag)
        if (conflict) return conflict
        await remove(query, id)
        return 'removed' as const
      }),

    publishDraft: (id, change, ifTag) =>
      withDraft(id, async (query, newest, existing) => {
        const content = checkPublish(newest, existing, ifTag)
        if (typeof content === 'string') return content
        await remove(query, id)
        return putProduct(query, id, newest, content, change)
      }),

    async listDrafts(page, pageSize) {
      const start = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER)
      const rows = await runStatement(pool, list, [pageSize, start])
      const items = rows.filter(([id]) => id !== null).map(toStoredDraft)
      return { items, total: Number(rows[0]?.at(-1)) }
    },
  }
}

async function putDraft(
  query: Query,
  id: string,
  { tag, by, content }: DraftContent,
  base: number,
  changedAt: number,
): Promise<void> {
  const author = [escapeNul(by.id), escapeNul(by.name)] as const
  const texts = [escapeNul(content.name), content.record] as const
  await query(put, [escapeNul(id), tag, base, changedAt, ...author, ...texts])
  const summary = { version: null, updatedAt: changedAt }
  await putSummary(query, createSummaryRow(id, content, summary, by))
}

function toStoredDraft(row: readonly (string | null)[]): StoredDraft {
  const [id, tag, name, base, changedAt, authorId, authorName, newest, record] = row
  return {
    id: unescapeNul(id ?? ''),
    tag: tag ?? '',
    name: unescapeNul(name ?? ''),
    base: Number(base),
    newest: Number(newest),
    changedAt: Number(changedAt),
    by: { id: unescapeNul(authorId ?? ''), name: unescapeNul(authorName ?? '') },
    record: record ?? '',
  }
}
