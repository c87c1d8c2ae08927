import { randomUUID } from 'node:crypto'
import {
  buildPageBody,
  buildPageEnvelope,
  ContractError,
  catalogueOperations,
  formatProblem,
  type UnpublishedProduct,
} from '../../contract/index.ts'
import { boundedContent, changeBy, toIdempotency } from './changes.ts'
import { formatEntityTag, matchesIfNoneMatch, parseIfMatch } from './entity-tags.ts'
import type { Answer, Handlers } from './handler.ts'
import { addIdentity, toEpochMilliseconds } from './product.ts'
import type { CatalogueStore, Outcome, ProductKey, StoredProduct } from './store.ts'

export const productHandlers = {
  async createProduct({ body, headers }, context) {
    const content = boundedContent(body)
    const idempotency = toIdempotency(headers['idempotency-key'], body)
    const product = { id: randomUUID(), ...content, idempotency }
    const created = await context.store.create(product, changeBy(context))
    if (created === 'keyReused') throw new ContractError('idempotency_key_reused')
    const location = `${catalogueOperations.createProduct.path}/${encodeURIComponent(created.id)}`
    return { headers: { location, etag: formatEntityTag(created.version) }, body: toText(created) }
  },

  async replaceProduct({ params, body, headers }, context) {
    const change = { ...changeBy(context), ifVersion: parseIfMatch(headers['if-match']) }
    const outcome = await context.store.replace(params.productID, boundedContent(body), change)
    return { headers: { etag: formatEntityTag(requireSuccess(outcome).version) } }
  },

  async deleteProduct({ params, headers }, context) {
    const change = { ...changeBy(context), ifVersion: parseIfMatch(headers['if-match']) }
    requireSuccess(await context.store.remove(params.productID, change))
    return {}
  },

  async getProduct(
    { params: { productID: id }, query: { version }, headers },
    { store, products },
  ) {
    if (version !== undefined)
      return answerProduct(headers, version, await readText(store, id, version))
    const current = await store.readCurrentVersion(id)
    if (!current) throw new ContractError('product_not_found')
    // A version never changes, unless the database is restored from a backup.
    const key = `${current.version} ${current.changedAt} ${id}`
    const text = await products.get(key, () => readText(store, id, current.version))
    return answerProduct(headers, current.version, text)
  },

  async listProducts({ query }, { store, clock, pages }) {
    const { 'product-category': category, brand, effective, 'updated-since': since } = query
    const request = { page: query.page, pageSize: query['page-size'] }
    const page = await store.list({
      category,
      brand,
      effective,
      now: clock().epochMilliseconds,
      updatedSince: toEpochMilliseconds(since),
      ...request,
    })
    const filters = { 'product-category': category, brand, effective, 'updated-since': since }
    const envelope = buildPageEnvelope('products', page, request, filters)
    const chunks = () => renderChunks(store, envelope, page.items)
    const bytes = page.items.reduce((sum, item) => sum + item.bytes, 0)
    if (bytes > cachedPageBytesMax) return { body: chunks() }
    const versions = page.items.map(({ id, version, lastUpdated }) => [id, version, lastUpdated])
    const key = envelope.tail + JSON.stringify(versions)
    return {
      body: [await pages.get(key, async () => Buffer.concat(await Array.fromAsync(chunks())))],
    }
  },

  async listProductChanges({ params, query }, { store }) {
    const request = { page: query.page, pageSize: query['page-size'] }
    const page = await store.history(params.productID, request.page, request.pageSize)
    if (!page) throw new ContractError('product_not_found')
    const items = page.items.map((change) => JSON.stringify(change))
    return { body: buildPageBody('history', items, page, request, {}) }
  },

  async listUnpublishedProducts({ query }, { published }) {
    const request = { page: query.page, pageSize: query['page-size'] }
    const { unpublished } = await published.view()
    const start = (request.page - 1) * request.pageSize
    const items = unpublished.slice(start, start + request.pageSize).map((entry) => {
      const faults = entry.faults.map((fault) => ({
        field: fault.path,
        message: formatProblem(fault),
      }))
      const { id, name, version, changedAt } = entry
      const product: UnpublishedProduct = {
        ...{ product_id: id, name, version, faults },
        changed_at: new Date(changedAt).toISOString(),
      }
      return JSON.stringify(product)
    })
    return { body: buildPageBody('products', items, { total: unpublished.length }, request, {}) }
  },
} satisfies Partial<Handlers>

const encoder = new TextEncoder()

async function readText(store: CatalogueStore, id: string, version: number): Promise<Uint8Array> {
  const product = await store.read(id, version)
  if (!product) throw new ContractError('product_not_found')
  // A small `Buffer` would be a part of a larger one, which it would keep in memory.
  return encoder.encode(toText(product))
}

function answerProduct(
  { 'if-none-match': known }: { readonly 'if-none-match'?: string },
  version: number,
  text: Uint8Array,
): Answer {
  const headers = { etag: formatEntityTag(version) }
  return matchesIfNoneMatch(known, headers.etag)
    ? { headers, status: 304 }
    : { headers, body: [text] }
}

/** Pages up to this size are rendered at once and cached; larger ones are streamed. */
const cachedPageBytesMax = 1024 * 1024

/** How many bytes of products are read from the database at once. */
const chunkBytesMax = 256 * 1024

async function* renderChunks(
  store: CatalogueStore,
  { head, tail }: { readonly head: string; readonly tail: string },
  items: readonly ProductKey[],
): AsyncGenerator<Buffer> {
  yield Buffer.from(head)
  let start = 0
  while (start < items.length) {
    const end = chunkEnd(items, start)
    const keys = items.slice(start, end)
    const contents = await store.readVersions(keys)
    const texts = keys.map(({ id, lastUpdated }, index) =>
      addIdentity(contents[index] ?? '', id, lastUpdated),
    )
    yield Buffer.from((start > 0 ? ',' : '') + texts.join(','))
    start = end
  }
  yield Buffer.from(tail)
}

/** At least one product, and as many more as fit into a chunk. */
function chunkEnd(items: readonly ProductKey[], start: number): number {
  let end = start
  let bytes = 0
  do {
    bytes += items[end]?.bytes ?? 0
    end += 1
  } while (end < items.length && bytes + (items[end]?.bytes ?? 0) <= chunkBytesMax)
  return end
}

function requireSuccess(outcome: Outcome): StoredProduct {
  if (outcome === 'missing') throw new ContractError('product_not_found')
  if (outcome === 'stale') throw new ContractError('precondition_failed')
  return outcome
}

function toText({ shown, id, lastUpdated }: StoredProduct): string {
  return addIdentity(shown, id, lastUpdated)
}
