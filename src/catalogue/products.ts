import { createHash, randomUUID } from 'node:crypto'
import { ContractError, catalogueOperations, pageBody } from '../contract/index.ts'
import { isFields } from '../contract/schema.ts'
import { entityTag, isHeld, versionsOf } from './entity-tags.ts'
import type { Context, Handler } from './handler.ts'
import { contentOf, milliseconds, withIdentity } from './product.ts'
import type { Change, Outcome, StoredProduct } from './store.ts'

export const createProduct: Handler<'createProduct'> = async ({ body, headers }, context) => {
  const content = contentOf(body)
  const key = headers['idempotency-key']
  const made = await context.store.create(
    {
      id: randomUUID(),
      ...content,
      idempotency: key === undefined ? undefined : { key, digest: digestOf(body) },
    },
    changeBy(context),
  )
  if (made === 'keyReused') throw new ContractError('idempotency_key_reused')
  const location = `${catalogueOperations.createProduct.path}/${encodeURIComponent(made.id)}`
  return { headers: { location, etag: entityTag(made.version) }, body: textOf(made) }
}

export const replaceProduct: Handler<'replaceProduct'> = async (
  { params, body, headers },
  context,
) => {
  const change = { ...changeBy(context), ifVersion: versionsOf(headers['if-match']) }
  const outcome = await context.store.replace(params.productID, contentOf(body), change)
  return { headers: { etag: entityTag(done(outcome).version) } }
}

export const deleteProduct: Handler<'deleteProduct'> = async ({ params, headers }, context) => {
  const change = { ...changeBy(context), ifVersion: versionsOf(headers['if-match']) }
  done(await context.store.remove(params.productID, change))
  return {}
}

export const getProduct: Handler<'getProduct'> = async ({ params, query, headers }, { store }) => {
  const product = await store.read(params.productID, query.version)
  if (!product) throw new ContractError('product_not_found')
  const kept = { etag: entityTag(product.version) }
  if (isHeld(headers['if-none-match'], product.version)) return { headers: kept, status: 304 }
  return { headers: kept, body: textOf(product) }
}

export const listProducts: Handler<'listProducts'> = async ({ query }, { store, clock }) => {
  const { 'product-category': category, brand, effective, 'updated-since': since } = query
  const request = { page: query.page, pageSize: query['page-size'] }
  const page = await store.list({
    category,
    brand,
    effective,
    now: clock().epochMilliseconds,
    updatedSince: milliseconds(since),
    ...request,
  })
  const filters = { 'product-category': category, brand, effective, 'updated-since': since }
  return { body: pageBody('products', page.items.map(textOf), page, request, filters) }
}

export const listProductChanges: Handler<'listProductChanges'> = async (
  { params, query },
  { store },
) => {
  const request = { page: query.page, pageSize: query['page-size'] }
  const page = await store.history(params.productID, request.page, request.pageSize)
  if (!page) throw new ContractError('product_not_found')
  const items = page.items.map((change) => JSON.stringify(change))
  return { body: pageBody('history', items, page, request, {}) }
}

/** Only operations that ask for a token change anything. */
function changeBy({ client, clock }: Context): Change {
  if (!client) throw new ContractError('unauthorized')
  return { by: client, clock }
}

function done(outcome: Outcome): StoredProduct {
  if (outcome === 'missing') throw new ContractError('product_not_found')
  if (outcome === 'stale') throw new ContractError('precondition_failed')
  return outcome
}

function textOf({ shown, id, lastUpdated }: StoredProduct): string {
  return withIdentity(shown, id, lastUpdated)
}

/** The same for two bodies that differ only in the order of their fields: a retry may be written anew. */
function digestOf(body: object): string {
  const ordered = JSON.stringify(body, (_name, value) => (isFields(value) ? inOrder(value) : value))
  return createHash('sha256').update(ordered).digest('base64url')
}

function inOrder(fields: object): object {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))
}
