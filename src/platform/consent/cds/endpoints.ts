import { values } from '../../../contract/enumerations.ts'
import { listBankingTransactions } from '../../../contract/operations/banking.ts'
import { openStatus } from '../../../contract/operations/shared-parameters.ts'
import { pageQuery } from '../../../contract/paging.ts'
import { asNode } from '../../../contract/schema.ts'
import type { Parameters } from '../../cds/query.ts'

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
