export const filterNames = ['text', 'category', 'brand', 'state', 'sort'] as const

/** The filters of the list of products, as its URL has them. */
export type Filters = Readonly<Record<(typeof filterNames)[number], string>>

export function readFilters(query: URLSearchParams): Filters {
  return Object.fromEntries(filterNames.map((name) => [name, query.get(name) ?? ''])) as Filters
}

/** The parameters of the operation that lists summaries. Empty ones are not sent. */
export function toQuery({ category, ...others }: Filters) {
  return { ...others, 'product-category': category }
}

export function isFiltered({ sort: _, ...filters }: Filters): boolean {
  return Object.values(filters).some((value) => value !== '')
}
