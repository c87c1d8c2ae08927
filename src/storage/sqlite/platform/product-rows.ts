import type { DatabaseSync } from 'node:sqlite'
import type {
  Author,
  NewestVersion,
  NewVersion,
  ProductContent,
  StoredProduct,
} from '../../../platform/catalogue/store.ts'
import {
  createDeletion,
  createVersion,
  exists,
  type Version,
} from '../../../platform/catalogue/versions.ts'
import { command, query } from '../driver/statements.ts'
import { openSummaryRows } from './summary-rows.ts'

/** Products and their versions. The caller of `put` and `remove` opens the transaction. */
export function openProductRows(database: DatabaseSync) {
  const newest = query<NewestVersion>(
    database,
    `select version, change, last_updated as lastUpdated, shown, origin from product_version
     where product = ? order by version desc limit 1`,
  )
  const insertRow = command(
    database,
    `insert into product_version (product, version, change, changed_at, changed_by, changed_by_name,
       last_updated, record, shown, origin) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const putCurrent = command(
    database,
    'insert or replace into product values (?, ?, ?, ?, ?, ?, ?)',
  )
  const deleteCurrent = command(database, 'delete from product where id = ?')
  const summaries = openSummaryRows(database)

  const insert = (
    id: string,
    { version, change, changedAt, lastUpdated, origin }: Version,
    by: Author,
    record: string | null,
    shown: string | null,
  ): void => {
    const author = [by.id, by.name] as const
    insertRow.run(id, version, change, changedAt, ...author, lastUpdated, record, shown, origin)
  }

  return {
    newest: (id: string): NewestVersion | undefined => newest.first(id),

    put(id: string, content: ProductContent, newVersion: NewVersion): StoredProduct {
      const created = createVersion(id, newest.first(id), content, newVersion)
      const { version, lastUpdated, updatedAt, changedAt, origin } = created
      const { category, brand, effectiveFrom = null, effectiveTo = null, shown } = content
      insert(id, created, newVersion.by, created.record, shown)
      putCurrent.run(id, version, category, brand, effectiveFrom, effectiveTo, updatedAt)
      summaries.put(id, content, { version, updatedAt: changedAt }, newVersion.by)
      return { id, version, lastUpdated, shown, origin }
    },

    /** Undefined if the product does not exist. */
    remove(id: string, newVersion: NewVersion): StoredProduct | undefined {
      const before = newest.first(id)
      if (!exists(before)) return undefined
      const created = createDeletion(before, newVersion)
      insert(id, created, newVersion.by, null, null)
      deleteCurrent.run(id)
      summaries.removeProduct(id)
      const { version, lastUpdated, origin } = created
      return { id, version, lastUpdated, shown: '', origin }
    },
  }
}
