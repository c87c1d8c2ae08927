import type { Operation } from '../operation.ts'
import { paged, pageQuery } from '../paging.ts'
import { described, optional } from '../record.ts'
import { ProductInput } from '../records/product.ts'
import { ListedDraft, ProductDraft } from '../records/product-draft.ts'
import { Text } from '../scalars.ts'
import { Type } from '../type.ts'
import { replaceProduct } from './catalogue.ts'
import { idempotencyKey, plain } from './shared-parameters.ts'

const common = { ...plain, base: 'platform', tag: 'catalogue', protection: 'clientToken' } as const
const write = { ...common, scope: 'products.write' } as const
const read = { ...common, scope: 'products.read' } as const

const { params } = replaceProduct
const draft = `${replaceProduct.path}/draft` as const
/** Not below the products: a loaded product can have any id. */
const drafts = '/v1/data-provider/cdr/product-drafts'

const ifMatch = described(
  Text,
  'The `ETag` of the draft that was read. If the draft has another `ETag` now, nothing is changed.',
)

export const putProductDraft = {
  ...write,
  ref: 'D1',
  method: 'PUT',
  path: draft,
  summary: 'Save the draft of a product',
  description:
    'Creates the draft or replaces it. A draft must be a valid product and is not public. A deleted product can have a draft too: publishing it makes the product exist again. To restore a version, read it with `getProduct` and send it here.',
  params,
  query: Type.Object({
    'base-version': optional(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      'The version of the product that the draft was made from. Default: that of the draft that is replaced, or the newest version.',
    ),
  }),
  requestHeaders: Type.Object({
    'if-match': Type.Optional(ifMatch),
    'if-none-match': optional(
      Type.Enum(['*']),
      'Only `*`: creates a draft. If the product has one, nothing is changed.',
    ),
  }),
  body: ProductInput,
  status: 204,
  result: 'The draft was saved. The response has no body.',
  headers: ['ETag'],
  errors: ['product_not_found', 'draft_changed', 'draft_exists'],
} as const satisfies Operation

export const getProductDraft = {
  ...read,
  ref: 'D2',
  method: 'GET',
  path: draft,
  summary: 'Get the draft of a product',
  description: 'Returns the draft, with its author and the version that it was made from.',
  params,
  response: ProductDraft,
  headers: ['ETag'],
  errors: ['draft_not_found'],
} as const satisfies Operation

export const deleteProductDraft = {
  ...write,
  ref: 'D3',
  method: 'DELETE',
  path: draft,
  summary: 'Discard the draft of a product',
  description: 'Deletes the draft. The product does not change.',
  params,
  requestHeaders: Type.Object({ 'if-match': Type.Optional(ifMatch) }),
  status: 204,
  result: 'The draft was discarded. The response has no body.',
  errors: ['draft_not_found', 'draft_changed'],
} as const satisfies Operation

export const publishProductDraft = {
  ...write,
  ref: 'D4',
  method: 'POST',
  path: `${draft}/publish`,
  summary: 'Publish the draft of a product',
  description:
    'Makes the draft the current version of the product, as `replaceProduct` does, and deletes the draft in the same transaction. If the product has changed since `base_version`, nothing is changed: compare the versions, and save the draft with the `base-version` that it now includes.',
  params,
  // Optional here, because a request without it is a 428.
  requestHeaders: Type.Object({
    'if-match': optional(Text, 'Required. The `ETag` of the draft that was reviewed.'),
  }),
  status: 204,
  result: 'The draft was published. The `ETag` is that of the product. The response has no body.',
  headers: ['ETag'],
  errors: ['draft_not_found', 'draft_changed', 'draft_outdated', 'precondition_required'],
} as const satisfies Operation

export const listProductDrafts = {
  ...read,
  ref: 'D5',
  method: 'GET',
  path: drafts,
  summary: 'List drafts',
  description: 'Returns the drafts of all products, ordered by product id.',
  query: Type.Object(pageQuery),
  response: paged('ProductDraftList', 'A page of drafts.', { drafts: Type.Array(ListedDraft) }),
} as const satisfies Operation

export const createProductDraft = {
  ...write,
  ref: 'D6',
  method: 'POST',
  path: drafts,
  summary: 'Create a draft of a new product',
  description:
    'Stores a draft under a new product id. The product exists when the draft is published.',
  requestHeaders: idempotencyKey,
  body: ProductInput,
  status: 201,
  response: ProductDraft,
  headers: ['Location', 'ETag'],
  errors: ['idempotency_key_reused'],
} as const satisfies Operation
