import { ContractError, type ProductInput, recordBytesMax } from '../contract/index.ts'
import type { Context } from './handler.ts'
import { toProductContent } from './product.ts'
import type { Change, ProductContent } from './store.ts'

export function boundedContent(body: ProductInput): ProductContent {
  const content = toProductContent(body)
  if (Buffer.byteLength(content.record) <= recordBytesMax) return content
  throw new ContractError(
    'invalid_request',
    `the product must be at most ${recordBytesMax} bytes of JSON`,
  )
}

export function changeBy({ client, clock }: Context): Change {
  // Every operation that changes products requires a token.
  if (!client) throw new ContractError('unauthorized')
  return { by: client, clock }
}
