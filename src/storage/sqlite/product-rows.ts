import type { DatabaseSync } from 'node:sqlite'
import { isAfter, milliseconds, nextUpdate, withIdentity } from '../../catalogue/product.ts'
import type { Author, ProductContent, StoredProduct } from '../../catalogue/store.ts'
import type { ProductItem } from '../../provider/writer.ts'
import { command, query } from './statements.ts'

interface Newest {
  readonly version: number
  readonly change: string
  readonly lastUpdated: string
  readonly shown: string | null
}

export interface Version {
  readonly by: Author
  readonly clock: () => Temporal.Instant
  /** What was loaded, to be dumped as it came. Its own time counts, unless that goes back. */
  readonly loaded?: Pick<ProductItem, 'record' | 'lastUpdated'>
}

/** The products and their versions. Whoever writes is in a transaction of its own. */
export function openProductRows(database: DatabaseSync) {
  const newest = query<Newest>(
    database,
    `select version, change, last_updated as lastUpdated, shown from product_version
     where product = ? order by version desc limit 1`,
  )
  const insert = command(database, 'insert into product_version values (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const putCurrent = command(
    database,
    'insert or replace into product values (?, ?, ?, ?, ?, ?, ?)',
  )
  const dropCurrent = command(database, 'delete from product where id = ?')

  return {
    /** The version that there is now; undefined where the product never was, or was deleted. */
    current(id: string): Newest | undefined {
      const row = newest.first(id)
      return row?.change === 'DELETED' ? undefined : row
    },

    put(id: string, content: ProductContent, { by, clock, loaded }: Version): StoredProduct {
      const at = clock()
      const before = newest.first(id)
      const version = (before?.version ?? 0) + 1
      const isNew = before === undefined || before.change === 'DELETED'
      const given = loaded?.lastUpdated
      const updated = isAfter(given, before?.lastUpdated)
        ? given
        : nextUpdate(at, before?.lastUpdated)
      const { category, brand, effectiveFrom, effectiveTo, shown } = content
      const record =
        loaded && (given === undefined || given === updated)
          ? loaded.record
          : withIdentity(content.record, id, updated)
      const change = isNew ? 'CREATED' : 'UPDATED'
      insert.run(id, version, change, at.epochMilliseconds, by.id, by.name, updated, record, shown)
      putCurrent.run(
        id,
        version,
        category,
        brand,
        effectiveFrom ?? null,
        effectiveTo ?? null,
        milliseconds(updated) ?? 0,
      )
      return { id, version, lastUpdated: updated, shown }
    },

    remove(id: string, { by, clock }: Version): StoredProduct | undefined {
      const at = clock()
      const before = newest.first(id)
      if (before === undefined || before.change === 'DELETED') return undefined
      const version = before.version + 1
      const lastUpdated = nextUpdate(at, before.lastUpdated)
      insert.run(
        id,
        version,
        'DELETED',
        at.epochMilliseconds,
        by.id,
        by.name,
        lastUpdated,
        null,
        null,
      )
      dropCurrent.run(id)
      return { id, version, lastUpdated, shown: '' }
    },
  }
}

export type ProductRows = ReturnType<typeof openProductRows>
