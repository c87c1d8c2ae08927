import { type Problem, type Product, recordBytesMax } from '../../../contract/index.ts'
import { isAfter, toProductContent } from '../../../platform/catalogue/product.ts'
import {
  type CatalogueStore,
  type NewestVersion,
  operator,
} from '../../../platform/catalogue/store.ts'
import { exists, isChanged } from '../../../platform/catalogue/versions.ts'
import type { HolderProduct, KeptProduct } from './holder-product.ts'
import type { ListedProduct } from './holder-products.ts'

/** The catalogue that products of one data holder are imported to. */
export interface Target {
  readonly store: CatalogueStore
  readonly origin: string
  /** The newest versions of products that may be replaced in any case, by id. */
  readonly replaced: ReadonlyMap<string, number>
  /** Whether the source is what the holder publishes now, so that nothing in the catalogue is later. */
  readonly isLive: boolean
}

export type Imported =
  | 'created'
  | 'changed'
  | 'unchanged'
  | { readonly kept: KeptProduct }
  | { readonly problem: Problem }

/** Whether the version came from the holder, and nothing was written here since. */
export function isFrom(origin: string, newest: NewestVersion): boolean {
  return exists(newest) && newest.origin === origin
}

/** Before the product is requested: whether the catalogue has it already, or keeps its own. */
export async function comparePresent(
  target: Target,
  { id, lastUpdated }: ListedProduct,
): Promise<HolderProduct['present']> {
  const newest = await target.store.readNewest(id)
  if (!newest || isReplaced(target, id, newest)) return undefined
  if (!isFrom(target.origin, newest)) return describeKept(target.store, id, newest)
  const time = parseTime(lastUpdated)
  return time?.equals(newest.lastUpdated) ? 'unchanged' : undefined
}

/** Writes the product, unless the catalogue has the same or keeps its own. */
export async function importProduct(target: Target, product: Product): Promise<Imported> {
  const { store, origin, isLive } = target
  const { product_id: id, last_updated: published } = product
  const content = toProductContent(product)
  if (Buffer.byteLength(content.record) > recordBytesMax) {
    const reason = `must be at most ${recordBytesMax} bytes of JSON`
    return { problem: { path: 'record', reason } }
  }
  for (;;) {
    const newest = await store.readNewest(id)
    const now = Temporal.Now.instant()
    // A time in the future becomes the present one: a later correction must not be older.
    const lastUpdated = isAfter(published, now.toString()) ? undefined : published
    const record = JSON.stringify({ ...product, last_updated: lastUpdated })
    const loaded = { record, lastUpdated, origin }
    if (newest && !isChanged({ content, ...loaded }, newest)) return 'unchanged'
    if (newest && !isReplaced(target, id, newest)) {
      const kept = await describeKept(store, id, newest)
      if (!isFrom(origin, newest)) return { kept }
      const isOlder = lastUpdated !== undefined && isAfter(newest.lastUpdated, lastUpdated)
      if (isOlder && !isLive) return { kept: { ...kept, reason: 'is later in the catalogue' } }
    }
    const written = await store.putImported(id, content, {
      by: operator,
      clock: () => now,
      loaded,
      ifNewest: newest?.version ?? 0,
    })
    // Otherwise, the product was changed here meanwhile.
    if (written !== 'stale') return newest && exists(newest) ? 'changed' : 'created'
  }
}

/** What the catalogue has under the id, in a sentence that begins with its name. */
export async function describeKept(
  store: CatalogueStore,
  id: string,
  { version, shown, origin }: NewestVersion,
): Promise<KeptProduct> {
  // A deletion has no content.
  const text = shown ?? (await store.read(id, version - 1))?.shown ?? '{}'
  const { name = '' } = JSON.parse(text)
  if (shown === null) return { name, origin, reason: 'was deleted here' }
  return {
    name,
    origin,
    reason: origin === null ? 'was written here' : `was imported from ${origin}`,
  }
}

function isReplaced({ replaced }: Target, id: string, { version }: NewestVersion): boolean {
  return replaced.get(id) === version
}

function parseTime(text: unknown): Temporal.Instant | undefined {
  try {
    return Temporal.Instant.from(text as string)
  } catch {
    return undefined
  }
}
