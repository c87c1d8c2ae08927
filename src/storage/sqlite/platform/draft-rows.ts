import type { DatabaseSync } from 'node:sqlite'
import { checkPublish, checkRemove, checkSave } from '../../../platform/catalogue/draft-rules.ts'
import type {
  DraftContent,
  DraftStore,
  DraftSummary,
  PublishConflict,
  RemoveConflict,
  SaveConflict,
  StoredDraft,
  StoredProduct,
  UsedKey,
} from '../../../platform/catalogue/store.ts'
import { command, query, type snapshots } from '../driver/statements.ts'
import type { Write } from '../driver/write-queue.ts'
import type { openIdempotencyKeys } from './idempotency-keys.ts'
import type { openProductRows } from './product-rows.ts'
import { openSummaryRows } from './summary-rows.ts'

interface Row extends Omit<StoredDraft, 'by'> {
  readonly authorId: string
  readonly authorName: string
}

interface Parts {
  readonly rows: ReturnType<typeof openProductRows>
  readonly keys: ReturnType<typeof openIdempotencyKeys>
  readonly write: Write
  readonly snapshot: ReturnType<typeof snapshots>
}

export function openDraftRows(
  database: DatabaseSync,
  { rows: products, keys, write, snapshot }: Parts,
): DraftStore {
  const columns = `product as id, tag, name, base, changed_at as changedAt,
     changed_by as authorId, changed_by_name as authorName, coalesce(
       (select max(version) from product_version v where v.product = d.product), 0) as newest`
  const read = query<Row>(
    database,
    `select ${columns}, record from product_draft d where product = ?`,
  )
  const listed = query<Omit<Row, 'record'>>(
    database,
    `select ${columns} from product_draft d order by product limit ? offset ?`,
  )
  const count = query<{ total: number }>(database, 'select count(*) as total from product_draft')
  const put = command(
    database,
    'insert or replace into product_draft values (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const deleteRow = command(database, 'delete from product_draft where product = ?')
  const summaries = openSummaryRows(database)
  const remove = (id: string): void => {
    deleteRow.run(id)
    summaries.removeDraft(id)
  }

  const putDraft = (
    id: string,
    { tag, by, content }: DraftContent,
    base: number,
    at: number,
  ): void => {
    put.run(id, tag, base, at, by.id, by.name, content.name, content.record)
    summaries.put(id, content, { version: null, updatedAt: at }, by)
  }

  return {
    createDraft(id, draft, idempotency) {
      return write((): UsedKey | 'keyReused' => {
        const first = { product: id, created: draft.clock().epochMilliseconds }
        const used = idempotency ? keys.use(draft.by.id, idempotency, first) : first
        if (used !== 'keyReused' && used.product === id) putDraft(id, draft, 0, first.created)
        return used
      })
    },

    saveDraft(id, draft) {
      return write((): 'saved' | SaveConflict => {
        const saved = checkSave(products.newest(id), read.first(id), draft)
        if (typeof saved === 'string') return saved
        putDraft(id, draft, saved.base, draft.clock().epochMilliseconds)
        return 'saved'
      })
    },

    async readDraft(id) {
      const row = read.first(id)
      return row && { ...toSummary(row), record: row.record }
    },

    removeDraft(id, ifTag) {
      return write((): 'removed' | RemoveConflict => {
        const conflict = checkRemove(read.first(id), ifTag)
        if (conflict) return conflict
        remove(id)
        return 'removed'
      })
    },

    publishDraft(id, change, ifTag) {
      return write((): StoredProduct | PublishConflict => {
        const content = checkPublish(products.newest(id), read.first(id), ifTag)
        if (typeof content === 'string') return content
        remove(id)
        return products.put(id, content, change)
      })
    },

    async listDrafts(page, pageSize) {
      return snapshot(() => {
        const total = count.first()?.total ?? 0
        const start = (page - 1) * pageSize
        if (start >= total) return { items: [], total }
        return { items: listed.all(pageSize, start).map(toSummary), total }
      })
    },
  }
}

function toSummary({ authorId, authorName, ...draft }: Omit<Row, 'record'>): DraftSummary {
  const { id, tag, name, base, newest, changedAt } = draft
  return { id, tag, name, base, newest, changedAt, by: { id: authorId, name: authorName } }
}
