import { oneOf, values } from '../enumerations.ts'
import { searchTextLengthMax } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { paged, pageQuery, publicPageQuery } from '../paging.ts'
import { described, optional } from '../record.ts'
import { ProductChange, ProductInput, ProductRead } from '../records/product.ts'
import { ProductSummary, productStates } from '../records/product-summary.ts'
import { UnpublishedProduct } from '../records/unpublished-product.ts'
import { Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'
import { idempotencyKey, plain } from './shared-parameters.ts'

const common = { ...plain, base: 'platform', tag: 'catalogue' } as const
const write = { ...common, protection: 'clientToken', scope: 'products.write' } as const
const read = { ...common, protection: 'clientToken', scope: 'products.read' } as const
const publicRead = { ...common, protection: 'none', crossOrigin: true } as const

const products = '/v1/data-provider/cdr/products'
const product = `${products}/{productID}` as const

const ProductParams = Type.Object({
  productID: described(Text, 'The id that `createProduct` returned.'),
})

const ifMatch = Type.Object({
  'if-match': optional(
    Text,
    'The `ETag` of the version to change. If the product has another `ETag` now, nothing is changed.',
  ),
})
const ifNoneMatch = Type.Object({
  'if-none-match': optional(
    Text,
    'The `ETag` of a cached copy. If it is still current, the response is 304.',
  ),
})

export const createProduct = {
  ...write,
  ref: 'P1',
  method: 'POST',
  path: products,
  summary: 'Create a product',
  description:
    'Stores a product under a new id. `product_id` and `last_updated` in the body are ignored.',
  requestHeaders: idempotencyKey,
  body: ProductInput,
  status: 201,
  response: ProductRead,
  headers: ['Location', 'ETag'],
  errors: ['idempotency_key_reused'],
} as const satisfies Operation

export const replaceProduct = {
  ...write,
  ref: 'P2',
  method: 'PUT',
  path: product,
  summary: 'Replace a product',
  description: 'Replaces the whole record: omitted fields are removed.',
  params: ProductParams,
  requestHeaders: ifMatch,
  body: ProductInput,
  status: 204,
  result: 'The product was replaced. The response has no body.',
  headers: ['ETag'],
  errors: ['product_not_found', 'precondition_failed'],
} as const satisfies Operation

export const getProduct = {
  ...publicRead,
  ref: 'P3',
  method: 'GET',
  path: product,
  summary: 'Get a product',
  description:
    'Returns the current version of the product, or an earlier one. No token is required.',
  params: ProductParams,
  query: Type.Object({
    version: optional(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      'The version to return. Default: the current version.',
    ),
  }),
  requestHeaders: ifNoneMatch,
  response: ProductRead,
  headers: ['ETag'],
  errors: ['product_not_found'],
} as const satisfies Operation

export const listProducts = {
  ...publicRead,
  ref: 'P4',
  method: 'GET',
  path: products,
  summary: 'List products',
  description: 'Returns the products ordered by id. No token is required.',
  query: Type.Object({
    'product-category': optional(oneOf(values.productCategory), 'Only products of this category.'),
    brand: optional(Text, 'Only products of this brand (exact match).'),
    effective: described(
      Type.Enum(['CURRENT', 'FUTURE', 'ALL'], { default: 'CURRENT' }),
      'CURRENT: products open for applications now. FUTURE: products that will be. ALL: all products, including retired ones.',
    ),
    'updated-since': optional(Timestamp, 'Only products changed at or after this time.'),
    ...publicPageQuery,
  }),
  response: paged('ProductList', 'A page of products.', { products: Type.Array(ProductRead) }),
} as const satisfies Operation

export const deleteProduct = {
  ...write,
  ref: 'P5',
  method: 'DELETE',
  path: product,
  summary: 'Delete a product',
  description: 'The product can no longer be read or listed. Its history and versions are kept.',
  params: ProductParams,
  requestHeaders: ifMatch,
  status: 204,
  result: 'The product was deleted. The response has no body.',
  errors: ['product_not_found', 'precondition_failed'],
} as const satisfies Operation

export const listProductChanges = {
  ...read,
  ref: 'P6',
  method: 'GET',
  path: `${product}/history`,
  summary: 'List the changes of a product',
  description:
    'Returns the newest changes first, with the author of each. To restore a version, read it with `getProduct` and send it to `replaceProduct`.',
  params: ProductParams,
  query: Type.Object(pageQuery),
  response: paged('ProductHistory', 'A page of changes of a product.', {
    history: Type.Array(ProductChange),
  }),
  errors: ['product_not_found'],
} as const satisfies Operation

export const listProductSummaries = {
  ...read,
  ref: 'P7',
  method: 'GET',
  // Not below the products: a loaded product can have any id.
  path: '/v1/data-provider/cdr/product-summaries',
  summary: 'Find products and drafts',
  description:
    'Returns what a list for people shows of each product, and of drafts of new products: the state, the author and the time of the last change.',
  query: Type.Object({
    text: optional(
      Type.String({ maxLength: searchTextLengthMax }),
      'A part of the name, the brand or the id. Case-insensitive, no wildcards.',
    ),
    'product-id': optional(Text, 'Only the product with this id, or the draft of a new one.'),
    'product-category': optional(oneOf(values.productCategory), 'Only products of this category.'),
    brand: optional(Text, 'Only products of this brand (exact match).'),
    state: optional(Type.Enum(productStates), 'Only products in this state.'),
    sort: described(
      Type.Enum(['updated', 'name'], { default: 'updated' }),
      'By the time of the last change, newest first, or by name, without regard to case.',
    ),
    ...pageQuery,
  }),
  response: paged('ProductSummaryList', 'A page of summaries of products.', {
    products: Type.Array(ProductSummary),
  }),
} as const satisfies Operation

export const listUnpublishedProducts = {
  ...read,
  ref: 'P8',
  method: 'GET',
  // Not below the products: a loaded product can have any id.
  path: '/v1/data-provider/cdr/unpublished-products',
  summary: 'List the products that cannot be published',
  description:
    'Returns the products that the public endpoints of the Consumer Data Standards leave out, ordered by id, with the fields that the standards require in addition to the catalogue.',
  query: Type.Object(pageQuery),
  response: paged('UnpublishedProductList', 'A page of products that cannot be published.', {
    products: Type.Array(UnpublishedProduct),
  }),
} as const satisfies Operation
