import type { Author, ProductContent, StoredProduct } from '../../../catalogue/store.ts'
import {
  createDeletion,
  createVersion,
  type NewestVersion,
  type NewVersion,
  type Version,
} from '../../../catalogue/versions.ts'
import { toText } from '../driver/escape-nul.ts'
import type { Ask } from '../driver/statements.ts'

const allProducts = `hashtext('holdfast products')`

/**
 * Serialises the writers of a product, even before its row exists. The lock on all products is shared among them: a
 * load takes it alone, because a lock for each of its products would exhaust the server's lock table.
 */
const lockProduct = {
  name: 'lock-product',
  text: `select pg_advisory_xact_lock_shared(${allProducts}),
    pg_advisory_xact_lock(hashtext('holdfast product'), hashtext($1))`,
}
export const lockAllProducts = `select pg_advisory_xact_lock(${allProducts})`
const newest = {
  name: 'newest-version',
  text: `select version, change, last_updated, shown from product_version
    where product = $1 order by version desc limit 1`,
}
const insert = {
  name: 'add-version',
  text: 'insert into product_version values ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
}
const putCurrent = {
  name: 'put-product',
  text: `insert into product values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (id) do update set version = excluded.version, category = excluded.category,
      brand = excluded.brand, effective_from = excluded.effective_from,
      effective_to = excluded.effective_to, updated_at = excluded.updated_at`,
}
const dropCurrent = { name: 'drop-product', text: 'delete from product where id = $1' }

/** The newest version of a product, which nobody else changes before the transaction ends. */
export async function newestVersion(ask: Ask, id: string): Promise<NewestVersion | undefined> {
  await ask(lockProduct, [toText(id)])
  const [row] = await ask(newest, [toText(id)])
  if (!row) return undefined
  const [version, change, lastUpdated, shown = null] = row
  return {
    version: Number(version),
    change: change ?? '',
    lastUpdated: lastUpdated ?? '',
    shown,
  }
}

export async function putProduct(
  ask: Ask,
  id: string,
  before: NewestVersion | undefined,
  content: ProductContent,
  making: NewVersion,
): Promise<StoredProduct> {
  const made = createVersion(id, before, content, making)
  const { version, lastUpdated, updatedAt } = made
  const { category, brand, effectiveFrom = null, effectiveTo = null, shown } = content
  await insertVersion(ask, id, made, making.by, made.record, shown)
  const found = [category, toText(brand), effectiveFrom, effectiveTo, updatedAt] as const
  await ask(putCurrent, [toText(id), version, ...found])
  return { id, version, lastUpdated, shown }
}

export async function removeProduct(
  ask: Ask,
  id: string,
  before: NewestVersion,
  making: NewVersion,
): Promise<StoredProduct> {
  const made = createDeletion(before, making)
  await insertVersion(ask, id, made, making.by, null, null)
  await ask(dropCurrent, [toText(id)])
  return { id, version: made.version, lastUpdated: made.lastUpdated, shown: '' }
}

async function insertVersion(
  ask: Ask,
  id: string,
  { version, change, changedAt, lastUpdated }: Version,
  by: Author,
  record: string | null,
  shown: string | null,
): Promise<void> {
  const author = [toText(by.id), toText(by.name)] as const
  await ask(insert, [toText(id), version, change, changedAt, ...author, lastUpdated, record, shown])
}
