import type { LinkQuery, PageRequest } from '../contract/index.ts'
import type { AccountFilters } from './store.ts'

interface FilterQuery {
  readonly 'open-status'?: AccountFilters['openStatus'] | undefined
  readonly 'product-category'?: string | undefined
  readonly 'is-owned'?: boolean | undefined
}

export function toPageRequest(query: {
  readonly page: number
  readonly 'page-size': number
}): PageRequest {
  return { page: query.page, pageSize: query['page-size'] }
}

export function toAccountFilters(query: FilterQuery): AccountFilters {
  return {
    openStatus: query['open-status'] ?? 'ALL',
    productCategory: query['product-category'],
    isOwned: query['is-owned'],
  }
}

/** The account filters as a link repeats them. ALL is the default, so links omit it. */
export function toFilterLinks(query: FilterQuery): LinkQuery {
  return {
    'product-category': query['product-category'],
    'open-status': query['open-status'] === 'ALL' ? undefined : query['open-status'],
    'is-owned': query['is-owned']?.toString(),
  }
}
