import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { epochNanoseconds } from '../../contract/date-time.ts'
import {
  type CdsListVersion,
  cdsListVersions,
  type EffectiveFilter,
  findPublicationFaults,
  isEffective,
  type Product,
  type PublishedProduct,
  toCdsListProduct,
  toCdsProductDetail,
} from '../../contract/index.ts'
import { publicationFaultsMax } from '../../contract/limits.ts'
import type { Problem } from '../../contract/rules.ts'
import {
  type CatalogueStore,
  type CurrentVersion,
  type ProductRecord,
  type ProductVersion,
  requireContent,
} from './store.ts'
import { shortenText } from './summary-texts.ts'

/** How old the knowledge of changes by other processes may be. */
const checkMs = 1000

/** How many versions are listed at once. */
const versionsAtOnce = 1000

/** How many records are read at once. */
const chunkSize = 16

/** The texts that stay in memory. Those of further products are read for each page. */
const textLengthMax = 32 * 1024 * 1024

/** A product without publication faults. */
export interface PublishedEntry extends CurrentVersion {
  readonly category: string
  readonly brand: string
  readonly effective: Pick<Product, 'effective_from' | 'effective_to'>
  /** That of the oldest version since which nothing that is published has changed. */
  readonly lastUpdated: string
  /** In nanoseconds since 1970. */
  readonly updatedAt: bigint
  /** Of everything that is published except the time of the update. */
  readonly digest: string
  /** Its text in each version of the list that has it. Null: not in memory. */
  readonly texts: ReadonlyMap<CdsListVersion, string | null>
}

/** A product that cannot be published, with its first faults. */
export interface UnpublishedEntry extends CurrentVersion {
  readonly name: string
  readonly faults: readonly Problem[]
}

/** The published products, ordered by id. They do not change before the time `until`. */
export interface PublishedView {
  /** No other view of the process has the same. */
  readonly serial: number
  readonly lists: Readonly<Record<EffectiveFilter, readonly PublishedEntry[]>>
  readonly brands: ReadonlySet<string>
  readonly products: ReadonlyMap<string, PublishedEntry>
  /** Ordered by id. */
  readonly unpublished: readonly UnpublishedEntry[]
}

export type PublishedProducts = ReturnType<typeof openPublishedProducts>

interface PublishedProductsOptions {
  readonly store: Pick<CatalogueStore, 'listVersions' | 'readChangeMark' | 'readRecords'>
  readonly clock: () => Temporal.Instant
  /** Called with products that cannot be published, once for each version of them. */
  readonly onUnpublished: (products: readonly UnpublishedEntry[]) => void
}

type Entry = PublishedEntry | UnpublishedEntry

/** Keeps what the lists of published products need in memory. Nothing is read before the first request. */
export function openPublishedProducts(options: PublishedProductsOptions) {
  const { store, clock, onUnpublished } = options
  let entries: ReadonlyMap<string, Entry> = new Map()
  let serial = 0
  let view: (PublishedView & TimeSpan) | undefined
  let viewedAt: Temporal.Instant | undefined
  let changes = 0
  let checkedMs = Number.NEGATIVE_INFINITY
  let checkedChanges = 0
  let checkedMark: number | undefined
  let running: { readonly changes: number; readonly done: Promise<void> } | undefined
  let waiting: Promise<void> | undefined

  const readProducts = async (
    published: readonly PublishedEntry[],
  ): Promise<readonly PublishedProduct[]> => {
    const records = await store.readRecords(published)
    return published.map(({ id, lastUpdated }, index) =>
      toProduct(id, { ...requireContent(records[index]), lastUpdated }),
    )
  }

  const refresh = async (): Promise<void> => {
    const [startMs, startChanges] = [performance.now(), changes]
    const mark = await store.readChangeMark()
    const isUnchanged =
      mark !== undefined && mark === checkedMark && startChanges === checkedChanges
    const changed = isUnchanged ? undefined : await readChanges(store, entries)
    checkedMs = startMs
    checkedChanges = startChanges
    checkedMark = mark
    if (!changed) return
    const unpublished = [...changed.values()].filter(
      (each) => 'faults' in each && entries.get(each.id) !== each,
    )
    entries = changed
    view = undefined
    if (unpublished.length > 0) onUnpublished(unpublished as UnpublishedEntry[])
  }

  /** One at a time. A change during a refresh waits for the next one, which includes all changes until it begins. */
  const refreshOnce = (): Promise<void> => {
    if (!running) {
      running = { changes, done: refresh() }
      const end = () => {
        running = undefined
      }
      running.done.then(end, end)
    }
    if (running.changes === changes) return running.done
    waiting ??= running.done
      .catch(() => undefined)
      .then(() => {
        waiting = undefined
        return refreshOnce()
      })
    return waiting
  }

  const viewNow = (): PublishedView => {
    const now = clock()
    // The clock returns one instant for all calls in a millisecond.
    if (view && now === viewedAt) return view
    const { epochNanoseconds: at } = now
    if (!view || at < view.since || at >= view.until) {
      serial += 1
      view = createView(serial, [...entries.values()], now)
    }
    viewedAt = now
    return view
  }

  return {
    /**
     * Includes all changes of this process, and those of other processes after a second at most. Returns a promise only if
     * it must read the database.
     */
    view(): PublishedView | Promise<PublishedView> {
      const isRecent = checkedChanges === changes && performance.now() - checkedMs <= checkMs
      return isRecent ? viewNow() : refreshOnce().then(viewNow)
    },

    /** This process may have changed the catalogue. */
    noteChange(): void {
      changes += 1
    },

    /** The texts of products in a version of the list that has them. */
    async readListTexts(
      entries: readonly PublishedEntry[],
      version: CdsListVersion,
    ): Promise<readonly string[]> {
      const texts: string[] = []
      for (let start = 0; start < entries.length; start += chunkSize) {
        const chunk = entries.slice(start, start + chunkSize)
        const missing = chunk.filter(({ texts: known }) => known.get(version) === null)
        const products = missing.length === 0 ? [] : await readProducts(missing)
        for (const entry of chunk) {
          const text = entry.texts.get(version)
          const product = products[missing.indexOf(entry)]
          texts.push(text ?? JSON.stringify(product && toCdsListProduct(product, version)))
        }
        // SQLite reads synchronously: other requests are answered between the parts.
        if (missing.length > 0) await setImmediate()
      }
      return texts
    },

    async readProduct(entry: PublishedEntry): Promise<PublishedProduct> {
      const [product] = await readProducts([entry])
      return product as PublishedProduct
    },
  }
}

/** In nanoseconds since 1970; `until` is exclusive. */
interface TimeSpan {
  readonly since: bigint
  readonly until: bigint
}

/** After all times of a product. */
const never = 2n ** 80n

function createView(
  serial: number,
  entries: readonly Entry[],
  now: Temporal.Instant,
): PublishedView & TimeSpan {
  const ordered = entries.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const published = ordered.filter((each) => 'digest' in each)
  const select = (filter: EffectiveFilter) =>
    published.filter((each) => isEffective(each.effective, filter, now))
  const boundaries = published
    .flatMap(({ effective }) => Object.values(effective))
    .map((time) => epochNanoseconds(time))
  const { epochNanoseconds: since } = now
  return {
    serial,
    since,
    until: boundaries.reduce((next, time) => (time > since && time < next ? time : next), never),
    lists: { ALL: published, CURRENT: select('CURRENT'), FUTURE: select('FUTURE') },
    brands: new Set(published.map(({ brand }) => brand)),
    products: new Map(published.map((each) => [each.id, each])),
    unpublished: ordered.filter((each) => 'faults' in each),
  }
}

/** Undefined if nothing changed. Entries of unchanged products are kept. */
async function readChanges(
  store: PublishedProductsOptions['store'],
  before: ReadonlyMap<string, Entry>,
): Promise<ReadonlyMap<string, Entry> | undefined> {
  const kept: Entry[] = []
  const changed: CurrentVersion[] = []
  let last: CurrentVersion | undefined
  do {
    const part = await store.listVersions(last?.id ?? '', versionsAtOnce)
    for (const each of part) {
      const known = before.get(each.id)
      const isKnown = known?.version === each.version && known.changedAt === each.changedAt
      if (isKnown) kept.push(known)
      else changed.push(each)
    }
    last = part.length < versionsAtOnce ? undefined : part.at(-1)
    // SQLite reads synchronously: other requests are answered between the parts.
    await setImmediate()
  } while (last)
  if (changed.length === 0 && kept.length === before.size) return undefined
  const entries = new Map(kept.map((each) => [each.id, each]))
  let length = kept.reduce((sum, each) => sum + countTexts(each), 0)
  for (let start = 0; start < changed.length; start += chunkSize) {
    const chunk = changed.slice(start, start + chunkSize)
    const records = await store.readRecords(chunk)
    for (const [index, current] of chunk.entries()) {
      const record = requireContent(records[index])
      const entry = await createEntry(store, current, record, before.get(current.id))
      length += countTexts(entry)
      entries.set(current.id, length > textLengthMax ? withoutTexts(entry) : entry)
    }
    await setImmediate()
  }
  return entries
}

function countTexts(entry: Entry): number {
  if (!('texts' in entry)) return 0
  return [...new Set(entry.texts.values())].reduce((sum, text) => sum + (text?.length ?? 0), 0)
}

function withoutTexts(entry: Entry): Entry {
  if (!('texts' in entry)) return entry
  return { ...entry, texts: new Map([...entry.texts.keys()].map((version) => [version, null])) }
}

async function createEntry(
  store: PublishedProductsOptions['store'],
  key: CurrentVersion,
  record: ProductRecord,
  before: Entry | undefined,
): Promise<Entry> {
  const product = toProduct(key.id, record)
  const faults = findPublicationFaults(product, publicationFaultsMax)
  if (faults.length > 0) return { ...key, name: shortenText(product.name), faults }
  const digest = digestPublished(product)
  const lastUpdated = await findUpdateTime(store, key, record.lastUpdated, digest, before)
  const published = { ...product, last_updated: lastUpdated }
  const { effective_from, effective_to } = product
  const texts = new Map<CdsListVersion, string>()
  for (const version of cdsListVersions) {
    const listed = toCdsListProduct(published, version)
    if (!listed) continue
    const text = JSON.stringify(listed)
    // Most are equal in all versions: one copy is enough.
    texts.set(version, [...texts.values()].find((other) => other === text) ?? text)
  }
  return {
    ...key,
    category: product.product_category,
    brand: product.brand,
    effective: {
      ...(effective_from !== undefined && { effective_from }),
      ...(effective_to !== undefined && { effective_to }),
    },
    lastUpdated,
    updatedAt: epochNanoseconds(lastUpdated),
    digest,
    texts,
  }
}

/** The time of the oldest version since which every version has the digest. */
async function findUpdateTime(
  store: PublishedProductsOptions['store'],
  { id, version }: ProductVersion,
  lastUpdated: string,
  digest: string,
  before: Entry | undefined,
): Promise<string> {
  let time = lastUpdated
  const known = before && before.version < version ? before.version : 0
  for (let next = version - 1; next > known; ) {
    // Most versions differ from the one before.
    const count = next === version - 1 ? 1 : Math.min(chunkSize, next - known)
    const keys = Array.from({ length: count }, (_, index) => ({ id, version: next - index }))
    for (const record of await store.readRecords(keys)) {
      const product = record && toProduct(id, record)
      if (!product || findPublicationFaults(product, 1).length > 0) return time
      if (digestPublished(product) !== digest) return time
      time = record.lastUpdated
    }
    next -= count
    // A product may have thousands of versions.
    await setImmediate()
  }
  return before && known > 0 && 'digest' in before && before.digest === digest
    ? before.lastUpdated
    : time
}

function digestPublished(product: PublishedProduct): string {
  // Every product is in the newest version.
  const { lastUpdated: _, ...published } = toCdsProductDetail(product, 7) ?? {}
  return createHash('sha256').update(JSON.stringify(published)).digest('base64url')
}

function toProduct(id: string, { record, lastUpdated }: ProductRecord): PublishedProduct {
  return { ...JSON.parse(record), product_id: id, last_updated: lastUpdated }
}
