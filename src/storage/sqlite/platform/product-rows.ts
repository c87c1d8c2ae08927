import type { DatabaseSync } from 'node:sqlite'
import type { Author, ProductContent, StoredProduct } from '../../../catalogue/store.ts'
import {
  createDeletion,
  createVersion,
  exists,
  type NewestVersion,
  type NewVersion,
  type Version,
} from '../../../catalogue/versions.ts'
import { command, query } from '../driver/statements.ts'

/** The products and their versions. Whoever writes is in a transaction of its own. */
export function openProductRows(database: DatabaseSync) {
  const newest = query<NewestVersion>(
    database,
    `select version, change, last_updated as lastUpdated, shown from product_version
     where product = ? order by version desc limit 1`,
  )
  const insertRow = command(
    database,
    'insert into product_version values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const putCurrent = command(
    database,
    'insert or replace into product values (?, ?, ?, ?, ?, ?, ?)',
  )
  const dropCurrent = command(database, 'delete from product where id = ?')

  const insert = (
    id: string,
    { version, change, changedAt, lastUpdated }: Version,
    by: Author,
    record: string | null,
    shown: string | null,
  ): void => {
    insertRow.run(id, version, change, changedAt, by.id, by.name, lastUpdated, record, shown)
  }

  return {
    newest: (id: string): NewestVersion | undefined => newest.first(id),

    put(id: string, content: ProductContent, making: NewVersion): StoredProduct {
      const made = createVersion(id, newest.first(id), content, making)
      const { version, lastUpdated, updatedAt } = made
      const { category, brand, effectiveFrom = null, effectiveTo = null, shown } = content
      insert(id, made, making.by, made.record, shown)
      putCurrent.run(id, version, category, brand, effectiveFrom, effectiveTo, updatedAt)
      return { id, version, lastUpdated, shown }
    },

    /** Undefined where there is none. */
    remove(id: string, making: NewVersion): StoredProduct | undefined {
      const before = newest.first(id)
      if (!exists(before)) return undefined
      const made = createDeletion(before, making)
      insert(id, made, making.by, null, null)
      dropCurrent.run(id)
      return { id, version: made.version, lastUpdated: made.lastUpdated, shown: '' }
    },
  }
}
