/** A product as JSON has it: the tests say themselves what is in it. */
export type Product = Record<string, unknown>

/** The least that a product can be. */
export const plain: Product = {
  brand: 'Example Bank',
  description: 'An account to save with',
  is_tailored: false,
  name: 'Saver',
  product_category: 'TRANS_AND_SAVINGS_ACCOUNTS',
}

export const plainWith = (fields: object): Product => ({ ...plain, ...fields })

/** Of what a read answers, what is the caller's own. */
export function contentOf({
  product_id: _id,
  last_updated: _updated,
  ...content
}: Product): Product {
  return content
}
