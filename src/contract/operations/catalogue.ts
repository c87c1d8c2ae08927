import Type from 'typebox'
import { Text } from '../leaves.ts'
import type { Operation } from '../operation.ts'
import { described } from '../record.ts'
import { ProductInput, ProductRead } from '../records/product.ts'
import { noQuery } from './parts.ts'

const common = { base: 'platform', tag: 'catalogue', query: noQuery } as const
const write = { ...common, protection: 'clientToken', scope: 'products.write' } as const

const ProductParams = Type.Object({ productID: described(Text, 'The id that P1 answered with.') })

export const createProduct = {
  ...write,
  ref: 'P1',
  method: 'POST',
  path: '/v1/data-provider/cdr/products',
  summary: 'Create a product',
  params: Type.Object({}),
  body: ProductInput,
  status: 201,
  response: ProductRead,
  headers: { Location: 'The path of the new product.' },
  errors: [],
} as const satisfies Operation

export const replaceProduct = {
  ...write,
  ref: 'P2',
  method: 'PUT',
  path: '/v1/data-provider/cdr/products/{productID}',
  summary: 'Replace a product',
  description: 'Puts the whole record: a field that is left out is gone.',
  params: ProductParams,
  body: ProductInput,
  status: 204,
  errors: ['product_not_found'],
} as const satisfies Operation

export const getProduct = {
  ...common,
  protection: 'none',
  ref: 'P3',
  method: 'GET',
  path: '/v1/data-provider/cdr/products/{productID}',
  summary: 'Read a product',
  params: ProductParams,
  status: 200,
  response: ProductRead,
  errors: ['product_not_found'],
} as const satisfies Operation
