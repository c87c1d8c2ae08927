import type { Actor } from '../../contract/index.ts'
import type { LineOutcome } from '../../intake/line-counts.ts'
import type { ProductItem } from '../../intake/writer.ts'
import type {
  NewestVersion,
  NewVersion,
  ProductContent,
  StoredProduct,
} from '../../platform/catalogue/store.ts'
import {
  createDeletion,
  createVersion,
  exists,
  isChanged,
  type Version,
} from '../../platform/catalogue/versions.ts'
import { integer, nullable, type Session, type Transaction, text } from '../sql.ts'
import { authorRow } from './actor-columns.ts'
import { type PutRow, putRow } from './rows.ts'
import { summaryRow } from './summary-rows.ts'

/** A product `p` and its current version `v`. A migration states the join itself, as it never changes. */
export const currentVersions =
  'product p join product_version v on v.product = p.id and v.version = p.version'

/** The newest version of a product, which no other transaction changes until this one ends. */
export async function lockNewestVersion(
  transaction: Transaction,
  id: string,
): Promise<NewestVersion | undefined> {
  await transaction.lock('product', id)
  return readNewestVersion(transaction, id)
}

const newestVersion = {
  version: integer,
  change: text,
  lastUpdated: text,
  shown: nullable(text),
  origin: nullable(text),
}

/** By the id of the product. */
export const selectNewestVersion = `select version, change, last_updated as "lastUpdated", shown, origin
  from product_version where product = $1 order by version desc limit 1`

export function readNewestVersion(
  session: Session,
  id: string,
): Promise<NewestVersion | undefined> {
  return session.first(newestVersion, selectNewestVersion, [id])
}

/** What a new version of a product changes in the database. */
export interface ProductWrite {
  readonly stored: StoredProduct
  readonly rows: readonly PutRow[]
  readonly isRemoval: boolean
}

export function putProduct(
  id: string,
  before: NewestVersion | undefined,
  content: ProductContent,
  newVersion: NewVersion,
): ProductWrite {
  const created = createVersion(id, before, content, newVersion)
  const { version, lastUpdated, updatedAt, changedAt, origin, record } = created
  const { category, brand, effectiveFrom, effectiveTo, shown } = content
  const { by } = newVersion
  const current = { id, version, category, brand, effectiveFrom, effectiveTo, updatedAt }
  return {
    stored: { id, version, lastUpdated, shown, origin },
    rows: [
      versionRow(id, created, by, record, shown),
      { table: 'product', key: ['id'], row: current },
      summaryRow(id, content, { version, updatedAt: changedAt }, by),
    ],
    isRemoval: false,
  }
}

export function removeProduct(
  id: string,
  before: NewestVersion,
  newVersion: NewVersion,
): ProductWrite {
  const deletion = createDeletion(before, newVersion)
  const { version, lastUpdated, origin } = deletion
  return {
    stored: { id, version, lastUpdated, shown: '', origin },
    rows: [versionRow(id, deletion, newVersion.by, null, null)],
    isRemoval: true,
  }
}

/** What a line of a load does to a product: null removes it. An unchanged product gets no new version. */
export function loadProduct(
  id: string,
  loaded: ProductItem | null,
  before: NewestVersion | undefined,
  newVersion: NewVersion,
): { readonly outcome: LineOutcome; readonly write?: ProductWrite } {
  if (loaded === null) {
    if (!exists(before)) return { outcome: 'unchanged' }
    return { outcome: 'deleted', write: removeProduct(id, before, newVersion) }
  }
  if (!isChanged(loaded, before)) return { outcome: 'unchanged' }
  const write = putProduct(id, before, loaded.content, { ...newVersion, loaded })
  return { outcome: exists(before) ? 'changed' : 'created', write }
}

function versionRow(
  id: string,
  { version, change, changedAt, lastUpdated, origin }: Version,
  by: Actor,
  record: string | null,
  shown: string | null,
): PutRow {
  const author = { changedAt, ...authorRow('changedBy', by) }
  const row = { product: id, version, change, ...author, lastUpdated, record, shown, origin }
  return { table: 'product_version', row }
}

/** The statements that remove a product, with its id. */
export const dropProduct = [
  'delete from product where id = $1',
  'delete from product_summary where id = $1 and not is_draft',
]

export async function writeProduct(
  transaction: Transaction,
  { stored, rows, isRemoval }: ProductWrite,
): Promise<StoredProduct> {
  for (const row of rows) await transaction.run(...putRow(row))
  if (isRemoval) for (const drop of dropProduct) await transaction.run(drop, [stored.id])
  return stored
}
