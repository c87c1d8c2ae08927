import type { ProductChange } from '../../contract/index.ts'
import {
  type CatalogueStore,
  type Change,
  type NewestVersion,
  type Outcome,
  type ProductVersion,
  requireContent,
} from '../../platform/catalogue/store.ts'
import { exists } from '../../platform/catalogue/versions.ts'
import { pageValues } from '../request-values.ts'
import { type Columns, integer, nullable, oneOf, optional, type Sql, text, time } from '../sql.ts'
import { createDraftStore } from './draft-rows.ts'
import { useIdempotencyKey } from './idempotency-keys.ts'
import {
  currentVersions,
  lockNewestVersion,
  type ProductWrite,
  putProduct,
  readNewestVersion,
  removeProduct,
  writeProduct,
} from './product-rows.ts'
import { listSummaries } from './summary-rows.ts'

const columns = 'v.product, v.version, v.last_updated, v.shown, v.origin'
const product = {
  id: text,
  version: integer,
  lastUpdated: text,
  shown: text,
  origin: nullable(text),
}
const selectVersion = `select ${columns} from product_version v
  where v.product = $1 and v.version = cast($2 as bigint) and v.shown is not null`
const currentVersion = { id: text, version: integer, changedAt: integer }
const selectCurrent = `select p.id, p.version, v.changed_at from ${currentVersions}`

export function createCatalogueStore(sql: Sql): Omit<CatalogueStore, 'close'> {
  const changeProduct = (
    id: string,
    { ifVersion, isRevival }: Change,
    work: (now: NewestVersion) => ProductWrite,
  ): Promise<Outcome> =>
    sql.transaction(async (transaction) => {
      const now = await lockNewestVersion(transaction, id)
      if (!now || !(isRevival || exists(now))) return 'missing'
      if (ifVersion && !ifVersion.includes(now.version)) return 'stale'
      return writeProduct(transaction, work(now))
    })

  /** Columns of these versions, in their order; null if a version is missing. */
  const readKeys = <Shape extends Columns>(
    keys: readonly ProductVersion[],
    shape: Shape,
    columns: string,
  ) =>
    sql.all(
      shape,
      `select ${columns} from ${sql.dialect.pairs('$1', '$2')}
       left join product_version v on v.product = k.text and v.version = k.number order by k.place`,
      [keys.map(({ id }) => id), keys.map(({ version }) => version)],
    )

  return {
    ...createDraftStore(sql),

    create: ({ id, idempotency, ...content }, change) =>
      sql.transaction(async (transaction) => {
        const first = { product: id, created: change.clock().epochMilliseconds }
        const used = await useIdempotencyKey(transaction, change.by, idempotency, first)
        if (used === 'keyReused') return used
        const earlier =
          used.product !== id &&
          (await transaction.first(product, selectVersion, [used.product, 1]))
        return earlier || writeProduct(transaction, putProduct(id, undefined, content, change))
      }),

    replace: (id, content, change) =>
      changeProduct(id, change, (now) => putProduct(id, now, content, change)),

    remove: (id, change) => changeProduct(id, change, (now) => removeProduct(id, now, change)),

    putImported: (id, content, { ifNewest, ...newVersion }) =>
      sql.transaction(async (transaction) => {
        const now = await lockNewestVersion(transaction, id)
        if ((now?.version ?? 0) !== ifNewest) return 'stale'
        return writeProduct(transaction, putProduct(id, now, content, newVersion))
      }),

    readNewest: (id) => readNewestVersion(sql, id),

    readCurrentVersion: (id) => sql.first(currentVersion, `${selectCurrent} where p.id = $1`, [id]),

    read: (id, version) =>
      version === undefined
        ? sql.first(product, `select ${columns} from ${currentVersions} where p.id = $1`, [id])
        : sql.first(product, selectVersion, [id, version]),

    list: ({ category, brand, effective, now, updatedSince, ...request }) =>
      sql.page(
        { id: text, version: integer, lastUpdated: text, bytes: integer, origin: nullable(text) },
        `with found as (
           select id, version from product
           where (cast($1 as text) is null or category = $1)
             and (cast($2 as text) is null or brand = $2)
             and (cast($3 as bigint) is null or updated_at >= $3)
             and ($4 = 'ALL' or ($4 = 'FUTURE' and effective_from > $5) or ($4 = 'CURRENT'
               and (effective_from is null or effective_from <= $5)
               and (effective_to is null or effective_to > $5))))
         select counted.total, v.product, v.version, v.last_updated, octet_length(v.shown), v.origin
         from (select count(*) as total from found) as counted
         left join (
           select id, version from found order by id limit $7 offset $6
         ) as page on true
         left join product_version v on v.product = page.id and v.version = page.version
         order by page.id`,
        [category, brand, updatedSince, effective, now, ...pageValues(request)],
      ),

    listSummaries: (query) => listSummaries(sql, query),

    async readVersions(keys) {
      const rows = await readKeys(keys, { shown: nullable(text) }, 'v.shown')
      return rows.map(({ shown }) => requireContent(shown))
    },

    listVersions: (after, limit) =>
      sql.all(currentVersion, `${selectCurrent} where p.id > $1 order by p.id limit $2`, [
        after,
        limit,
      ]),

    async readChangeMark() {
      return sql.readChangeMark?.()
    },

    async readRecords(keys) {
      const record = { record: nullable(text), lastUpdated: text }
      const rows = await readKeys(keys, record, 'v.record, v.last_updated')
      return rows.map(({ record, lastUpdated }) =>
        record === null ? undefined : { record, lastUpdated },
      )
    },

    async history(id, number, pageSize) {
      const page = await sql.page(
        {
          version: integer,
          change: oneOf<ProductChange['change']>(),
          changed_at: (cell) => time(cell).toString(),
          changed_by: text,
          changed_by_name: text,
          changed_by_issuer: optional(text),
          origin: optional(text),
        },
        `select counted.total, v.version, v.change, v.changed_at, v.changed_by, v.changed_by_name,
           v.changed_by_issuer, v.origin
         from (select max(version) as total from product_version where product = $1) as counted
         left join (
           select * from product_version where product = $1
           order by version desc limit $3 offset $2
         ) as v on true order by v.version desc`,
        [id, ...pageValues({ page: number, pageSize })],
      )
      return page.total === 0 ? undefined : page
    },
  }
}
