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
  type Version,
} from '../../../platform/catalogue/versions.ts'
import { escapeNul } from '../driver/escape-nul.ts'
import type { Query } from '../driver/statements.ts'
import { createSummaryRow, putSummary, removeSummary } from './summary-rows.ts'

const allProducts = `hashtext('holdfast products')`

/**
 * Serialises the writers of a product, even before its row exists. They share the lock on all products; a load takes
 * it exclusively, because a lock per product would exhaust the server's lock table.
 */
const lockProduct = {
  name: 'lock-product',
  text: `select pg_advisory_xact_lock_shared(${allProducts}),
    pg_advisory_xact_lock(hashtext('holdfast product'), hashtext($1))`,
}
export const lockAllProducts = `select pg_advisory_xact_lock(${allProducts})`
const newest = {
  name: 'newest-version',
  text: `select version, change, last_updated, shown, origin from product_version
    where product = $1 order by version desc limit 1`,
}
const insert = {
  name: 'add-version',
  text: `insert into product_version (product, version, change, changed_at, changed_by,
    changed_by_name, last_updated, record, shown, origin)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
}
const putCurrent = {
  name: 'put-product',
  text: `insert into product values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (id) do update set version = excluded.version, category = excluded.category,
      brand = excluded.brand, effective_from = excluded.effective_from,
      effective_to = excluded.effective_to, updated_at = excluded.updated_at`,
}
const deleteCurrent = { name: 'drop-product', text: 'delete from product where id = $1' }

/** The newest version of a product, locked against changes until the transaction ends. */
export async function newestVersion(query: Query, id: string): Promise<NewestVersion | undefined> {
  await query(lockProduct, [escapeNul(id)])
  return readNewestVersion(query, id)
}

export async function readNewestVersion(
  query: Query,
  id: string,
): Promise<NewestVersion | undefined> {
  const [row] = await query(newest, [escapeNul(id)])
  if (!row) return undefined
  const [version, change, lastUpdated, shown = null, origin = null] = row
  return {
    version: Number(version),
    change: change ?? '',
    lastUpdated: lastUpdated ?? '',
    shown,
    origin,
  }
}

export async function putProduct(
  query: Query,
  id: string,
  before: NewestVersion | undefined,
  content: ProductContent,
  newVersion: NewVersion,
): Promise<StoredProduct> {
  const created = createVersion(id, before, content, newVersion)
  const { version, lastUpdated, updatedAt, changedAt, origin } = created
  const { category, brand, effectiveFrom = null, effectiveTo = null, shown } = content
  await insertVersion(query, id, created, newVersion.by, created.record, shown)
  const filtered = [category, escapeNul(brand), effectiveFrom, effectiveTo, updatedAt] as const
  await query(putCurrent, [escapeNul(id), version, ...filtered])
  const summary = { version, updatedAt: changedAt }
  await putSummary(query, createSummaryRow(id, content, summary, newVersion.by))
  return { id, version, lastUpdated, shown, origin }
}

export async function removeProduct(
  query: Query,
  id: string,
  before: NewestVersion,
  newVersion: NewVersion,
): Promise<StoredProduct> {
  const created = createDeletion(before, newVersion)
  await insertVersion(query, id, created, newVersion.by, null, null)
  await query(deleteCurrent, [escapeNul(id)])
  await removeSummary(query, id, 'product')
  const { version, lastUpdated, origin } = created
  return { id, version, lastUpdated, shown: '', origin }
}

async function insertVersion(
  query: Query,
  id: string,
  { version, change, changedAt, lastUpdated, origin }: Version,
  by: Author,
  record: string | null,
  shown: string | null,
): Promise<void> {
  const author = [escapeNul(by.id), escapeNul(by.name)] as const
  await query(insert, [
    escapeNul(id),
    version,
    change,
    changedAt,
    ...author,
    lastUpdated,
    record,
    shown,
    origin,
  ])
}
