import type { DatabaseSync } from 'node:sqlite'
import { checkPublish, checkRemove, checkSave } from '../../../catalogue/draft-rules.ts'
import type {
  DraftStore,
  DraftSummary,
  PublishConflict,
  RemoveConflict,
  SaveConflict,
  SavedDraft,
  StoredDraft,
  StoredProduct,
} from '../../../catalogue/store.ts'
import { command, query, type snapshots } from '../driver/statements.ts'
import type { Write } from '../driver/write-queue.ts'
import type { openProductRows } from './product-rows.ts'

interface Row extends Omit<StoredDraft, 'by'> {
  readonly authorId: string
  readonly authorName: string
}

export function openDraftRows(
  database: DatabaseSync,
  products: ReturnType<typeof openProductRows>,
  write: Write,
  snapshot: ReturnType<typeof snapshots>,
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
  const remove = command(database, 'delete from product_draft where product = ?')

  return {
    saveDraft(id, draft) {
      return write((): SavedDraft | SaveConflict => {
        const saved = checkSave(products.newest(id), read.first(id), draft)
        if (typeof saved === 'string') return saved
        const changedAt = draft.clock().epochMilliseconds
        const { tag, by, name, record } = draft
        put.run(id, tag, saved.base, changedAt, by.id, by.name, name, record)
        return { ...saved, changedAt }
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
        remove.run(id)
        return 'removed'
      })
    },

    publishDraft(id, change, ifTag) {
      return write((): StoredProduct | PublishConflict => {
        const content = checkPublish(products.newest(id), read.first(id), ifTag)
        if (typeof content === 'string') return content
        remove.run(id)
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
