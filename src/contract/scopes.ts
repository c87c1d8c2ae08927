/** The scopes of an API client's token. Write access includes read access. */
export const scopes = ['products.read', 'products.write'] as const
export type Scope = (typeof scopes)[number]

export function permits(granted: readonly Scope[], needed: string | undefined): boolean {
  return granted.some((scope) => scope === needed || scope === 'products.write')
}
