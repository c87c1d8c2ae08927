import type { ProductChange } from '../../../contract/index.ts'
import {
  type CatalogueStore,
  type Change,
  type CurrentVersion,
  type Outcome,
  type ProductKey,
  type ProductRecord,
  requireContent,
  type StoredProduct,
} from '../../../platform/catalogue/store.ts'
import { exists } from '../../../platform/catalogue/versions.ts'
import { currentVersions } from '../../current-versions.ts'
import { openDatabase } from '../driver/open.ts'
import { batchReads, query, snapshots } from '../driver/statements.ts'
import { openWriteQueue } from '../driver/write-queue.ts'
import { openDraftRows } from './draft-rows.ts'
import { openIdempotencyKeys } from './idempotency-keys.ts'
import { openProductRows } from './product-rows.ts'
import { openSummaryList } from './summary-rows.ts'

interface HistoryRow {
  readonly version: number
  readonly change: ProductChange['change']
  readonly changed_at: number
  readonly changed_by: string
  readonly changed_by_name: string
  readonly origin: string | null
}

export function openSqliteCatalogueStore(path: string): CatalogueStore {
  const database = openDatabase(path, 'write')
  const rows = openProductRows(database)
  const current = query<
    readonly [
      id: string,
      version: number,
      lastUpdated: string,
      shown: string,
      origin: string | null,
    ]
  >(
    database,
    `select v.product, v.version, v.last_updated, v.shown, v.origin from ${currentVersions}
     where p.id = ?`,
    { lists: true },
  )
  const past = query<StoredProduct>(
    database,
    `select product as id, version, last_updated as lastUpdated, shown, origin from product_version
     where product = ? and version = ? and shown is not null`,
  )
  const filters = `(?1 is null or category = ?1) and (?2 is null or brand = ?2)
     and (?3 is null or updated_at >= ?3)
     and (?4 = 'ALL' or (?4 = 'FUTURE' and effective_from > ?5) or (?4 = 'CURRENT'
       and (effective_from is null or effective_from <= ?5)
       and (effective_to is null or effective_to > ?5)))`
  const count = query<{ total: number }>(
    database,
    `select count(*) as total from product where ${filters}`,
  )
  const listed = query<ProductKey>(
    database,
    `select v.product as id, v.version, v.last_updated as lastUpdated, octet_length(v.shown) as bytes,
       v.origin
     from ${currentVersions} where ${filters} order by p.id limit ?6 offset ?7`,
  )
  const currentVersion = query<readonly [version: number, changedAt: number]>(
    database,
    `select v.version, v.changed_at from ${currentVersions} where p.id = ?`,
    { lists: true },
  )
  const versionsAfter = query<CurrentVersion>(
    database,
    `select p.id, p.version, v.changed_at as changedAt from ${currentVersions}
     where p.id > ? order by p.id limit ?`,
  )
  const dataVersion = query<{ data_version: number }>(database, 'pragma data_version')
  const record = query<ProductRecord>(
    database,
    `select record, last_updated as lastUpdated from product_version
     where product = ? and version = ? and record is not null`,
  )
  const changes = query<HistoryRow>(
    database,
    `select version, change, changed_at, changed_by, changed_by_name, origin from product_version
     where product = ? order by version desc limit ? offset ?`,
  )
  const changeCount = query<{ total: number }>(
    database,
    'select count(*) as total from product_version where product = ?',
  )
  const keys = openIdempotencyKeys(database)

  const write = openWriteQueue(database)
  const snapshot = snapshots(database)
  const readTogether = batchReads(database)
  const listSummaries = openSummaryList(database, snapshot)
  const changeProduct = (
    id: string,
    { ifVersion, isRevival }: Change,
    work: () => StoredProduct,
  ): Promise<Outcome> =>
    write((): Outcome => {
      const now = rows.newest(id)
      if (!now || !(isRevival || exists(now))) return 'missing'
      return ifVersion && !ifVersion.includes(now.version) ? 'stale' : work()
    })

  return {
    ...openDraftRows(database, { rows, keys, write, snapshot }),

    async create({ id, idempotency, ...content }, change) {
      return write((): StoredProduct | 'keyReused' => {
        const created = change.clock().epochMilliseconds
        const used = idempotency && keys.use(change.by.id, idempotency, { product: id, created })
        if (used === 'keyReused') return used
        const earlier = used && used.product !== id && past.first(used.product, 1)
        return earlier || rows.put(id, content, change)
      })
    },

    async replace(id, content, change) {
      return changeProduct(id, change, () => rows.put(id, content, change))
    },

    async remove(id, change) {
      return changeProduct(id, change, () => rows.remove(id, change) as StoredProduct)
    },

    putImported(id, content, { ifNewest, ...newVersion }) {
      return write((): StoredProduct | 'stale' => {
        const isNewest = (rows.newest(id)?.version ?? 0) === ifNewest
        return isNewest ? rows.put(id, content, newVersion) : 'stale'
      })
    },

    async readNewest(id) {
      return rows.newest(id)
    },

    async readCurrentVersion(id) {
      const row = await readTogether(() => currentVersion.first(id))
      return row && { id, version: row[0], changedAt: row[1] }
    },

    async read(id, version) {
      if (version !== undefined) return past.first(id, version)
      const row = current.first(id)
      if (!row) return undefined
      return { id: row[0], version: row[1], lastUpdated: row[2], shown: row[3], origin: row[4] }
    },

    async list({ category, brand, effective, now, updatedSince, page, pageSize }) {
      const values = [
        category ?? null,
        brand ?? null,
        updatedSince ?? null,
        effective,
        now,
      ] as const
      return snapshot(() => {
        const total = count.first(...values)?.total ?? 0
        const start = (page - 1) * pageSize
        if (start >= total) return { items: [], total }
        return { items: listed.all(...values, pageSize, start), total }
      })
    },

    async listSummaries(query) {
      return listSummaries(query)
    },

    async readVersions(keys) {
      return keys.map(({ id, version }) => requireContent(past.first(id, version)?.shown))
    },

    async listVersions(after, limit) {
      return versionsAfter.all(after, limit)
    },

    async readChangeMark() {
      return dataVersion.first()?.data_version
    },

    async readRecords(versions) {
      return versions.map(({ id, version }) => record.first(id, version))
    },

    async history(id, page, pageSize) {
      const total = changeCount.first(id)?.total ?? 0
      if (total === 0) return undefined
      const start = (page - 1) * pageSize
      if (start >= total) return { items: [], total }
      const items = changes.all(id, pageSize, start).map(({ origin, ...row }) => ({
        ...row,
        ...(origin !== null && { origin }),
        changed_at: Temporal.Instant.fromEpochMilliseconds(row.changed_at).toString(),
      }))
      return { items, total }
    },

    async close() {
      database.close()
    },
  }
}
