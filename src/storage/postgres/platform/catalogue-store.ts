import type { ProductChange } from '../../../contract/index.ts'
import {
  type CatalogueStore,
  type Change,
  type CurrentVersion,
  type NewestVersion,
  type Outcome,
  type ProductKey,
  type ProductVersion,
  requireContent,
  type StoredProduct,
} from '../../../platform/catalogue/store.ts'
import { exists } from '../../../platform/catalogue/versions.ts'
import { currentVersions } from '../../current-versions.ts'
import type { DatabaseOptions } from '../../database.ts'
import { escapeNul, unescapeNul } from '../driver/escape-nul.ts'
import { openPool } from '../driver/pool.ts'
import { inTransaction, openQuery, type Query, runStatement } from '../driver/statements.ts'
import { openDraftRows } from './draft-rows.ts'
import { useIdempotencyKey } from './idempotency-keys.ts'
import { newestVersion, putProduct, readNewestVersion, removeProduct } from './product-rows.ts'
import { listSummaries } from './summary-rows.ts'

const columns = 'v.product, v.version, v.last_updated, v.shown, v.origin'
const current = {
  name: 'read-product',
  text: `select ${columns} from ${currentVersions} where p.id = $1`,
}
const currentVersion = {
  name: 'read-current-version',
  text: `select v.product, v.version, v.changed_at from ${currentVersions} where p.id = $1`,
}
const past = {
  name: 'read-version',
  text: `select ${columns} from product_version v
    where v.product = $1 and v.version = $2::bigint and v.shown is not null`,
}
const list = {
  name: 'list-products',
  text: `with found as (
      select id, version from product
      where ($1::text is null or category = $1) and ($2::text is null or brand = $2)
        and ($3::bigint is null or updated_at >= $3)
        and ($4 = 'ALL' or ($4 = 'FUTURE' and effective_from > $5) or ($4 = 'CURRENT'
          and (effective_from is null or effective_from <= $5)
          and (effective_to is null or effective_to > $5))))
    select (select count(*) from found), v.product, v.version, v.last_updated,
      octet_length(v.shown), v.origin
    from (select 1) as always
    left join (
      select id, version from found order by id limit $6 offset $7
    ) as page on true
    left join product_version v on v.product = page.id and v.version = page.version
    order by page.id`,
}
const versions = {
  name: 'read-versions',
  text: `select v.shown from unnest($1::text[], $2::bigint[]) with ordinality
      as k (product, version, place)
    left join product_version v using (product, version) order by k.place`,
}
const listVersions = {
  name: 'list-versions',
  text: `select v.product, v.version, v.changed_at from ${currentVersions}
    where p.id > $1 order by p.id limit $2`,
}
const records = {
  name: 'read-records',
  text: `select v.record, v.last_updated from unnest($1::text[], $2::bigint[]) with ordinality
      as k (product, version, place)
    left join product_version v using (product, version) order by k.place`,
}
const history = {
  name: 'list-changes',
  text: `select (select max(version) from product_version where product = $1),
      v.version, v.change, v.changed_at, v.changed_by, v.changed_by_name, v.origin
    from (select 1) as always left join (
      select * from product_version where product = $1 order by version desc limit $2 offset $3
    ) as v on true order by v.version desc`,
}
export async function openPostgresCatalogueStore(
  database: string,
  options: DatabaseOptions,
): Promise<CatalogueStore> {
  const pool = await openPool(database, 'write', options)
  const queryPipelined = openQuery(pool)

  const changeProduct = (
    id: string,
    { ifVersion, isRevival }: Change,
    work: (query: Query, now: NewestVersion) => Promise<StoredProduct>,
  ): Promise<Outcome> =>
    inTransaction(pool, async (query) => {
      const now = await newestVersion(query, id)
      if (!now || !(isRevival || exists(now))) return 'missing'
      return ifVersion && !ifVersion.includes(now.version) ? 'stale' : work(query, now)
    })

  return {
    ...openDraftRows(pool),

    create({ id, idempotency, ...content }, change) {
      return inTransaction(pool, async (query) => {
        if (!idempotency) return putProduct(query, id, undefined, content, change)
        const first = { product: id, created: change.clock().epochMilliseconds }
        const used = await useIdempotencyKey(query, change.by.id, idempotency, first)
        if (used === 'keyReused') return used
        if (used.product === id) return putProduct(query, id, undefined, content, change)
        return toStoredProduct((await query(past, [used.product, 1]))[0] ?? [])
      })
    },

    replace: (id, content, change) =>
      changeProduct(id, change, (query, now) => putProduct(query, id, now, content, change)),

    remove: (id, change) =>
      changeProduct(id, change, (query, now) => removeProduct(query, id, now, change)),

    putImported: (id, content, { ifNewest, ...newVersion }) =>
      inTransaction(pool, async (query) => {
        const now = await newestVersion(query, id)
        if ((now?.version ?? 0) !== ifNewest) return 'stale'
        return putProduct(query, id, now, content, newVersion)
      }),

    async readNewest(id) {
      return id.isWellFormed() ? readNewestVersion(queryPipelined, id) : undefined
    },

    async readCurrentVersion(id) {
      if (!id.isWellFormed()) return undefined
      const [row] = await queryPipelined(currentVersion, [escapeNul(id)])
      return row && toCurrentVersion(row)
    },

    async read(id, version) {
      if (!id.isWellFormed()) return undefined
      const [row] =
        version === undefined
          ? await queryPipelined(current, [escapeNul(id)])
          : await queryPipelined(past, [escapeNul(id), version])
      return row && toStoredProduct(row)
    },

    async list({ category, brand, effective, now, updatedSince, page, pageSize }) {
      const rows = await runStatement(pool, list, [
        category ?? null,
        brand === undefined ? null : escapeNul(brand),
        updatedSince ?? null,
        effective,
        now,
        pageSize,
        Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER),
      ])
      const items = rows.filter(([, id]) => id !== null).map(toProductKey)
      return { items, total: Number(rows[0]?.[0]) }
    },

    listSummaries: (query) => listSummaries(pool, query),

    async listVersions(after, limit) {
      return (await runStatement(pool, listVersions, [escapeNul(after), limit])).map(
        toCurrentVersion,
      )
    },

    async readChangeMark() {
      return undefined
    },

    async readRecords(keys) {
      const rows = await runStatement(pool, records, toKeyColumns(keys))
      return rows.map(([record, lastUpdated]) =>
        record == null ? undefined : { record, lastUpdated: lastUpdated ?? '' },
      )
    },

    async readVersions(keys) {
      const rows = await runStatement(pool, versions, toKeyColumns(keys))
      return rows.map(([shown]) => requireContent(shown))
    },

    async history(id, page, pageSize) {
      const start = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER)
      const rows = await runStatement(pool, history, [escapeNul(id), pageSize, start])
      const total = Number(rows[0]?.[0] ?? 0)
      if (total === 0) return undefined
      return { items: rows.filter(([, version]) => version !== null).map(toProductChange), total }
    },

    async close() {
      await pool.end()
    },
  }
}

function toCurrentVersion([id, version, changedAt]: Row): CurrentVersion {
  return { id: unescapeNul(id ?? ''), version: Number(version), changedAt: Number(changedAt) }
}

function toKeyColumns(keys: readonly ProductVersion[]): [string[], string[]] {
  return [keys.map(({ id }) => escapeNul(id)), keys.map(({ version }) => String(version))]
}

type Row = readonly (string | null)[]

function toStoredProduct([id, version, lastUpdated, shown, origin = null]: Row): StoredProduct {
  return {
    id: unescapeNul(id ?? ''),
    version: Number(version),
    lastUpdated: lastUpdated ?? '',
    shown: shown ?? '',
    origin,
  }
}

function toProductKey([, id, version, lastUpdated, bytes, origin = null]: Row): ProductKey {
  return {
    id: unescapeNul(id ?? ''),
    version: Number(version),
    lastUpdated: lastUpdated ?? '',
    bytes: Number(bytes),
    origin,
  }
}

function toProductChange([
  ,
  version,
  change,
  changedAt,
  changedBy,
  changedByName,
  origin,
]: Row): ProductChange {
  return {
    version: Number(version),
    change: change as ProductChange['change'],
    changed_at: Temporal.Instant.fromEpochMilliseconds(Number(changedAt)).toString(),
    changed_by: unescapeNul(changedBy ?? ''),
    changed_by_name: unescapeNul(changedByName ?? ''),
    ...(origin != null && { origin }),
  }
}
