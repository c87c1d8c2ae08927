import { isAfter, milliseconds, nextUpdate, withIdentity } from '../../catalogue/product.ts'
import type { Author, ProductContent, StoredProduct } from '../../catalogue/store.ts'
import type { ProductItem } from '../../provider/writer.ts'
import type { Ask } from './statements.ts'
import { toText } from './text.ts'

/** Whoever is to change a product waits here for whoever does, also where there is none of that id yet. */
const hold = {
  name: 'hold-product',
  text: `select pg_advisory_xact_lock(hashtext('holdfast product'), hashtext($1))`,
}
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

export interface Newest {
  readonly version: number
  readonly isDeleted: boolean
  readonly lastUpdated: string
  readonly shown: string
}

export interface Version {
  readonly by: Author
  readonly clock: () => Temporal.Instant
  /** What was loaded, to be dumped as it came. Its own time counts, unless that goes back. */
  readonly loaded?: Pick<ProductItem, 'record' | 'lastUpdated'>
}

/** The newest version of a product, which nobody else changes before the transaction ends. */
export async function newestVersion(ask: Ask, id: string): Promise<Newest | undefined> {
  await ask(hold, [toText(id)])
  const [row] = await ask(newest, [toText(id)])
  if (!row) return undefined
  const [version, change, lastUpdated, shown] = row
  return {
    version: Number(version),
    isDeleted: change === 'DELETED',
    lastUpdated: lastUpdated ?? '',
    shown: shown ?? '',
  }
}

export async function putProduct(
  ask: Ask,
  id: string,
  before: Newest | undefined,
  content: ProductContent,
  { by, clock, loaded }: Version,
): Promise<StoredProduct> {
  const at = clock()
  const version = (before?.version ?? 0) + 1
  const given = loaded?.lastUpdated
  const lastUpdated = isAfter(given, before?.lastUpdated)
    ? given
    : nextUpdate(at, before?.lastUpdated)
  const { category, brand, effectiveFrom = null, effectiveTo = null, shown } = content
  const record =
    loaded && (given === undefined || given === lastUpdated)
      ? loaded.record
      : withIdentity(content.record, id, lastUpdated)
  const change = before === undefined || before.isDeleted ? 'CREATED' : 'UPDATED'
  const author = [at.epochMilliseconds, toText(by.id), toText(by.name)] as const
  await ask(insert, [toText(id), version, change, ...author, lastUpdated, record, shown])
  await ask(putCurrent, [
    toText(id),
    version,
    category,
    toText(brand),
    effectiveFrom,
    effectiveTo,
    milliseconds(lastUpdated) ?? 0,
  ])
  return { id, version, lastUpdated, shown }
}

export async function removeProduct(
  ask: Ask,
  id: string,
  before: Newest,
  { by, clock }: Version,
): Promise<StoredProduct> {
  const at = clock()
  const version = before.version + 1
  const lastUpdated = nextUpdate(at, before.lastUpdated)
  const author = [at.epochMilliseconds, toText(by.id), toText(by.name)] as const
  await ask(insert, [toText(id), version, 'DELETED', ...author, lastUpdated, null, null])
  await ask(dropCurrent, [toText(id)])
  return { id, version, lastUpdated, shown: '' }
}
