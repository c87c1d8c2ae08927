import type { Crumbs } from '../../components/page-heading.tsx'
import { decodePart } from '../../router.ts'

export const catalogueUrl = '/console/catalogue'
export const catalogueCrumbs: Crumbs = [['Catalogue', catalogueUrl]]

/** Views that are not those of a product. A loaded product can have any id. */
const views = new Set(['new', 'import', 'compare'])

export function productUrl(id: string, tail = ''): string {
  const part = encodeURIComponent(id)
  const hex = part.charCodeAt(0).toString(16)
  return `${catalogueUrl}/${views.has(id) ? `%${hex}${part.slice(1)}` : part}${tail}`
}

export function duplicateUrl(id: string): string {
  return `${catalogueUrl}/new?from=${encodeURIComponent(id)}`
}

/** Encoded twice: an id may contain a comma. */
export function compareUrl(ids: readonly string[]): string {
  const query = new URLSearchParams({ ids: ids.map(encodeURIComponent).join(',') })
  return `${catalogueUrl}/compare?${query.toString().replaceAll('%2C', ',')}`
}

export function readComparedIds(query: URLSearchParams): string[] {
  const ids = (query.get('ids') ?? '').split(',').filter(Boolean).map(decodePart)
  return [...new Set(ids)]
}
