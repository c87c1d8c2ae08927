/** The filters of the list of products, as its URL has them. */
export interface Filters {
  readonly text: string
  readonly category: string
  readonly brand: string
  readonly state: string
  readonly sort: string
}

export const filterNames = ['text', 'category', 'brand', 'state', 'sort'] as const

export function readFilters(query: URLSearchParams): Filters {
  const read = (name: string) => query.get(name) ?? ''
  return {
    text: read('text'),
    category: read('category'),
    brand: read('brand'),
    state: read('state'),
    sort: read('sort'),
  }
}

/** The parameters of the operation that lists summaries. Empty ones are not sent. */
export function toQuery({ text, category, brand, state, sort }: Filters) {
  return { text, 'product-category': category, brand, state, sort }
}

export function isFiltered({ text, category, brand, state }: Filters): boolean {
  return [text, category, brand, state].some((value) => value !== '')
}
