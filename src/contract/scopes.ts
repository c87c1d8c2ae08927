/** The scopes of an API client's token: the product catalogue, and the data of customers. */
export const scopes = ['products.read', 'products.write', 'data.write'] as const
export type Scope = (typeof scopes)[number]

/** Write access to products includes read access to them. No other scope includes another. */
export function permits(granted: readonly Scope[], needed: string | undefined): boolean {
  return granted.some(
    (scope) => scope === needed || (scope === 'products.write' && needed === 'products.read'),
  )
}
