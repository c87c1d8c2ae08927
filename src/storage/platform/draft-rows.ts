import { checkPublish, checkRemove, checkSave } from '../../platform/catalogue/draft-rules.ts'
import type {
  DraftContent,
  DraftStore,
  NewestVersion,
  StoredDraft,
} from '../../platform/catalogue/store.ts'
import { pageValues } from '../request-values.ts'
import { integer, type Session, type Sql, type Transaction, text } from '../sql.ts'
import { actorColumns, authorRow, withActor } from './actor-columns.ts'
import { useIdempotencyKey } from './idempotency-keys.ts'
import { lockNewestVersion, putProduct, writeProduct } from './product-rows.ts'
import { putRow } from './rows.ts'
import { summaryRow } from './summary-rows.ts'

const columns = `d.product, d.tag, d.name, d.base, d.changed_at, d.changed_by, d.changed_by_name,
  d.changed_by_issuer,
  coalesce((select max(version) from product_version v where v.product = d.product), 0)`
const draft = {
  id: text,
  tag: text,
  name: text,
  base: integer,
  changedAt: integer,
  ...actorColumns,
  newest: integer,
}

export function createDraftStore(sql: Sql): DraftStore {
  /** Runs the work while no other transaction changes the product or its draft. */
  const withDraft = <Result>(
    id: string,
    work: (
      transaction: Transaction,
      newest: NewestVersion | undefined,
      draft: StoredDraft | undefined,
    ) => Promise<Result>,
  ): Promise<Result> =>
    sql.transaction(async (transaction) => {
      const newest = await lockNewestVersion(transaction, id)
      return work(transaction, newest, await readDraft(transaction, id))
    })

  return {
    createDraft: (id, draft, idempotency) =>
      sql.transaction(async (transaction) => {
        const first = { product: id, created: draft.clock().epochMilliseconds }
        const used = await useIdempotencyKey(transaction, draft.by, idempotency, first)
        if (used === 'keyReused' || used.product !== id) return used
        await putDraft(transaction, id, draft, 0, first.created)
        return used
      }),

    saveDraft: (id, draft) =>
      withDraft(id, async (transaction, newest, existing) => {
        const saved = checkSave(newest, existing, draft)
        if (typeof saved === 'string') return saved
        await putDraft(transaction, id, draft, saved.base, draft.clock().epochMilliseconds)
        return 'saved' as const
      }),

    readDraft: (id) => readDraft(sql, id),

    removeDraft: (id, ifTag) =>
      withDraft(id, async (transaction, _newest, existing) => {
        const conflict = checkRemove(existing, ifTag)
        if (conflict) return conflict
        await removeDraft(transaction, id)
        return 'removed' as const
      }),

    publishDraft: (id, change, ifTag) =>
      withDraft(id, async (transaction, newest, existing) => {
        const content = checkPublish(newest, existing, ifTag)
        if (typeof content === 'string') return content
        await removeDraft(transaction, id)
        return writeProduct(transaction, putProduct(id, newest, content, change))
      }),

    async listDrafts(page, pageSize) {
      const { items, total } = await sql.page(
        draft,
        `select total, ${columns} from (select count(*) as total from product_draft) as counted
         left join (select * from product_draft order by product limit $2 offset $1) as d on true
         order by d.product`,
        pageValues({ page, pageSize }),
      )
      return { items: items.map(withActor), total }
    },
  }
}

async function readDraft(session: Session, id: string): Promise<StoredDraft | undefined> {
  const row = await session.first(
    { ...draft, record: text },
    `select ${columns}, d.record from product_draft d where d.product = $1`,
    [id],
  )
  return row && { ...withActor(row), record: row.record }
}

async function putDraft(
  transaction: Transaction,
  id: string,
  { tag, by, content }: DraftContent,
  base: number,
  changedAt: number,
): Promise<void> {
  const { name, record } = content
  const author = { changedAt, ...authorRow('changedBy', by) }
  const row = { product: id, tag, base, ...author, name, record }
  const summary = summaryRow(id, content, { version: null, updatedAt: changedAt }, by)
  await transaction.run(...putRow({ table: 'product_draft', key: ['product'], row }))
  await transaction.run(...putRow(summary))
}

async function removeDraft(transaction: Transaction, id: string): Promise<void> {
  await transaction.run('delete from product_draft where product = $1', [id])
  await transaction.run('delete from product_summary where id = $1 and is_draft', [id])
}
