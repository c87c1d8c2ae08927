import { values } from '../../contract/enumerations.ts'
import { listBankingTransactions } from '../../contract/operations/banking.ts'
import { openStatus } from '../../contract/operations/shared-parameters.ts'
import { pageQuery } from '../../contract/paging.ts'
import { asNode, type Node } from '../../contract/schema.ts'

/** Query parameters by name. */
export type Parameters = Readonly<Record<string, Node>>

/** An endpoint of the Consumer Data Standards that the platform serves to third parties. */
export interface CdsEndpoint {
  readonly method: 'GET' | 'POST'
  /** After the base path. */
  readonly path: string
  readonly scope: string
  /** The versions that a request can select. */
  readonly versions: readonly [min: number, max: number]
  readonly parameters: Parameters
}

/** The path under which the standards place all endpoints. */
export const cdsBasePath = '/cds-au/v1'

const paging: Parameters = {
  page: asNode(pageQuery.page),
  'page-size': asNode(pageQuery['page-size']),
}

const accountFilters: Parameters = {
  'product-category': { enum: values.productCategory },
  'open-status': asNode(openStatus),
  'is-owned': { type: 'boolean' },
}

const accountsScope = 'bank:accounts.basic:read'

/** The mapping of their data to the interface is in records.ts. */
export const cdsEndpoints = {
  accounts: {
    method: 'GET',
    path: '/banking/accounts',
    scope: accountsScope,
    versions: [2, 3],
    parameters: { ...accountFilters, ...paging },
  },
  balance: {
    method: 'GET',
    path: '/banking/accounts/{accountId}/balance',
    scope: accountsScope,
    versions: [1, 1],
    parameters: {},
  },
  balances: {
    method: 'GET',
    path: '/banking/accounts/balances',
    scope: accountsScope,
    versions: [1, 2],
    parameters: { ...accountFilters, ...paging },
  },
  balancesOfAccounts: {
    method: 'POST',
    path: '/banking/accounts/balances',
    scope: accountsScope,
    versions: [1, 1],
    parameters: paging,
  },
  transactions: {
    method: 'GET',
    path: '/banking/accounts/{accountId}/transactions',
    scope: 'bank:transactions:read',
    versions: [1, 2],
    parameters: listBankingTransactions.query.properties as unknown as Parameters,
  },
  customer: {
    method: 'GET',
    path: '/common/customer',
    scope: 'common:customer.basic:read',
    versions: [1, 1],
    parameters: {},
  },
} as const satisfies Record<string, CdsEndpoint>

export type CdsEndpointId = keyof typeof cdsEndpoints

/** In these versions and later ones, accounts may have the category `BUY_NOW_PAY_LATER`. */
export const payLaterVersions = { accounts: 3, balances: 2 } as const

/**
 * Paths of the standards that are not served. Requests to them are a 404 with the code `NotImplemented`; those to other
 * paths are a 404 with the code `NotFound`.
 */
export const omittedPaths: readonly string[] = [
  '/banking/accounts/{accountId}',
  '/banking/accounts/{accountId}/transactions/{transactionId}',
  '/banking/accounts/{accountId}/direct-debits',
  '/banking/accounts/direct-debits',
  '/banking/accounts/{accountId}/payments/scheduled',
  '/banking/payments/scheduled',
  '/banking/payees',
  '/banking/payees/{payeeId}',
  '/banking/products',
  '/banking/products/{productId}',
  '/common/customer/detail',
  '/discovery/status',
  '/discovery/outages',
  '/energy/plans',
  '/energy/plans/{planId}',
  '/energy/electricity/servicepoints',
  '/energy/electricity/servicepoints/{servicePointId}',
  '/energy/electricity/servicepoints/usage',
  '/energy/electricity/servicepoints/{servicePointId}/usage',
  '/energy/electricity/servicepoints/der',
  '/energy/electricity/servicepoints/{servicePointId}/der',
  '/energy/accounts',
  '/energy/accounts/{accountId}',
  '/energy/accounts/{accountId}/payment-schedule',
  '/energy/accounts/{accountId}/concessions',
  '/energy/accounts/balances',
  '/energy/accounts/{accountId}/balance',
  '/energy/accounts/invoices',
  '/energy/accounts/{accountId}/invoices',
  '/energy/accounts/billing',
  '/energy/accounts/{accountId}/billing',
]

/** What a path is that no endpoint serves with its method: the methods that it has, and whether the standards define it. */
export function describePath(path: string): {
  readonly methods: readonly string[]
  readonly isOmitted: boolean
} {
  const matches = (pattern: string) =>
    new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
  const methods = Object.values(cdsEndpoints)
    .filter((endpoint) => matches(endpoint.path))
    .map(({ method }) => method)
  return { methods, isOmitted: omittedPaths.some(matches) }
}
