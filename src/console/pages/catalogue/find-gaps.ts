import { findPublicationFaults } from '../../../contract/cds/publication-faults.ts'
import type { ProductInput } from '../../../contract/records/product.ts'

/** What keeps a product out of the public catalogue. One that is being edited may have any value, and no ID yet. */
export function findGaps(product: object, id = 'new', max?: number) {
  return findPublicationFaults({ product_id: id, ...product } as unknown as ProductInput, max)
}
