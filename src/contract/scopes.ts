/** The scopes of an API client's token: the product catalogue, the data of customers, and their consents. */
export const scopes = ['products.read', 'products.write', 'data.write', 'consent.read'] as const
export type Scope = (typeof scopes)[number]

/** Write access to products includes read access to them. No other scope includes another. */
export function permits(granted: readonly Scope[], needed: string | undefined): boolean {
  return granted.some(
    (scope) => scope === needed || (scope === 'products.write' && needed === 'products.read'),
  )
}
