import { CdsError } from './errors.ts'

/** The part of a list that a response contains. */
export interface PagePosition {
  readonly page: number
  readonly pageSize: number
  readonly totalRecords: number
}

/** The absolute URLs of a list’s pages. They repeat the parameters of the request, with the time bounds filled in. */
export function buildLinks(
  url: string,
  parameters: Readonly<Record<string, unknown>>,
  position: PagePosition,
): Readonly<Record<string, string>> {
  const { page } = position
  const totalPages = countPages(position)
  const link = (target: number) => {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...parameters, page: target })) {
      if (value !== undefined) query.set(name, String(value))
    }
    return `${url}?${query}`
  }
  if (totalPages === 0) return { self: link(page) }
  return {
    self: link(page),
    first: link(1),
    ...(page > 1 && { prev: link(page - 1) }),
    ...(page < totalPages && { next: link(page + 1) }),
    last: link(totalPages),
  }
}

export function buildMeta(position: PagePosition): Readonly<Record<string, number>> {
  return { totalRecords: position.totalRecords, totalPages: countPages(position) }
}

/** The standards make a page after the last one an error. An empty list has a first page. */
export function requirePage(position: PagePosition): void {
  const last = Math.max(1, countPages(position))
  if (position.page > last) throw new CdsError('invalidPage', `the last page is ${last}`)
}

function countPages({ totalRecords, pageSize }: PagePosition): number {
  return Math.ceil(totalRecords / pageSize)
}
