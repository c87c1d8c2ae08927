import {
  type AccountKind,
  buildPageBody,
  type JsonBody,
  type JsonText,
  type LinkQuery,
  type PageRequest,
} from '../contract/index.ts'
import type { AccountFilters, AccountListQuery, AccountsQuery, Page } from './store.ts'

interface PageQuery {
  readonly page: number
  readonly 'page-size': number
}

interface FilterQuery extends PageQuery {
  readonly 'open-status'?: AccountFilters['openStatus'] | undefined
  readonly 'product-category'?: string | undefined
  readonly 'is-owned'?: boolean | undefined
}

interface CustomerInput {
  readonly params: { readonly customerId: string }
  readonly query: FilterQuery
}

interface AccountsInput extends CustomerInput {
  readonly body: { readonly data: { readonly accountIds: readonly string[] } }
}

export function toPageRequest(query: PageQuery): PageRequest {
  return { page: query.page, pageSize: query['page-size'] }
}

/** The accounts of a customer. */
export function toCustomerQuery(
  kind: AccountKind,
  { params, query }: CustomerInput,
): AccountListQuery {
  const { customerId } = params
  return { customerId, kind, filters: toAccountFilters(query), ...toPageRequest(query) }
}

/** The accounts in the body of a request. */
export function toAccountsQuery({ params, query, body }: AccountsInput): AccountsQuery {
  const { accountIds } = body.data
  return {
    customerId: params.customerId,
    accountIds,
    filters: toAccountFilters(query),
    ...toPageRequest(query),
  }
}

function toAccountFilters(query: FilterQuery): AccountFilters {
  return {
    openStatus: query['open-status'] ?? 'ALL',
    productCategory: query['product-category'],
    isOwned: query['is-owned'],
  }
}

/** A page of a list with account filters. ALL is the default, so links omit it. */
export function buildFilteredBody(
  field: string,
  page: Page<JsonText>,
  query: FilterQuery,
): JsonBody {
  const links: LinkQuery = {
    'product-category': query['product-category'],
    'open-status': query['open-status'] === 'ALL' ? undefined : query['open-status'],
    'is-owned': query['is-owned']?.toString(),
  }
  return buildPageBody(field, page.items, page, toPageRequest(query), links)
}
