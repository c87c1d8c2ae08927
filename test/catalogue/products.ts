/** Untyped, so that tests can send invalid products. */
export type Product = Record<string, unknown>

/** Only the required fields. */
export const minimalProduct: Product = {
  brand: 'Example Bank',
  description: 'An account to save with',
  is_tailored: false,
  name: 'Saver',
  product_category: 'TRANS_AND_SAVINGS_ACCOUNTS',
}

export const productWithFields = (fields: object): Product => ({ ...minimalProduct, ...fields })

/** Removes the fields that the platform adds. */
export function getContent({
  product_id: _id,
  last_updated: _updated,
  ...content
}: Product): Product {
  return content
}
