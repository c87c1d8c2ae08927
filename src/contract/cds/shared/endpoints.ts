import { values } from '../../enumerations.ts'
import { listBankingTransactions } from '../../operations/banking.ts'
import { AccountIds, openStatus } from '../../operations/shared-parameters.ts'
import { pageQuery } from '../../paging.ts'
import { asNode, type Node } from '../../schema.ts'
import { bankingAccount, bankingAccountDetail } from './banking-account.ts'
import { bankingBalance, bankingTransaction } from './banking-history.ts'
import { directDebit, scheduledPayment } from './banking-payments.ts'
import { customer, customerDetail } from './customer.ts'
import type { ObjectShape } from './shapes.ts'

type Parameters = Readonly<Record<string, Node>>

/**
 * An endpoint of the Consumer Data Standards that the platform serves to third parties. Routes, scopes, metadata and
 * documentation are derived from it.
 */
export interface CdsEndpoint {
  readonly method: 'GET' | 'POST'
  /** After the base path. */
  readonly path: string
  readonly summary: string
  /** What logs and metrics call it, after `cds-`. */
  readonly logName: string
  readonly scope: string
  /** The versions that a request can select. */
  readonly versions: readonly [min: number, max: number]
  /** The kind of the accounts whose data it has. */
  readonly accounts?: AccountKind
  /** Of the query. The path has `accountId` alone. */
  readonly parameters: Parameters
  /** Of a request with a body. */
  readonly body?: typeof AccountIds
  readonly response: {
    /** The field of `data` that has a page of records. Otherwise, `data` is the record. */
    readonly list?: string
    readonly record: ObjectShape
  }
  /** The first version with accounts of the category `BUY_NOW_PAY_LATER`. */
  readonly payLaterSince?: number
}

export type AccountKind = 'banking' | 'energy'

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
const paymentsScope = 'bank:regular_payments:read'

const banking = { accounts: 'banking' } as const
const get = { method: 'GET', parameters: {} } as const
const listOf = { method: 'GET', parameters: paging } as const
const listOfAll = { method: 'GET', parameters: { ...accountFilters, ...paging } } as const
const listOfSelected = { method: 'POST', parameters: paging, body: AccountIds } as const

const balances = {
  ...banking,
  path: '/banking/accounts/balances',
  logName: 'balances',
  scope: accountsScope,
  response: { list: 'balances', record: bankingBalance },
} as const

const directDebits = {
  ...banking,
  logName: 'direct-debits',
  scope: paymentsScope,
  response: { list: 'directDebitAuthorisations', record: directDebit },
} as const

const payments = {
  ...banking,
  logName: 'scheduled-payments',
  scope: paymentsScope,
  response: { list: 'scheduledPayments', record: scheduledPayment },
} as const

export const cdsEndpoints = {
  accounts: {
    ...banking,
    ...listOfAll,
    path: '/banking/accounts',
    summary: 'Get Accounts',
    logName: 'accounts',
    scope: accountsScope,
    versions: [2, 3],
    payLaterSince: 3,
    response: { list: 'accounts', record: bankingAccount },
  },
  account: {
    ...banking,
    ...get,
    path: '/banking/accounts/{accountId}',
    summary: 'Get Account Detail',
    logName: 'account',
    scope: 'bank:accounts.detail:read',
    versions: [4, 5],
    payLaterSince: 5,
    response: { record: bankingAccountDetail },
  },
  balance: {
    ...banking,
    ...get,
    path: '/banking/accounts/{accountId}/balance',
    summary: 'Get Account Balance',
    logName: 'balance',
    scope: accountsScope,
    versions: [1, 1],
    response: { record: bankingBalance },
  },
  balances: {
    ...balances,
    ...listOfAll,
    summary: 'Get Bulk Balances',
    versions: [1, 2],
    payLaterSince: 2,
  },
  balancesOfAccounts: {
    ...balances,
    ...listOfSelected,
    summary: 'Get Balances For Specific Accounts',
    versions: [1, 1],
  },
  transactions: {
    ...banking,
    method: 'GET',
    path: '/banking/accounts/{accountId}/transactions',
    summary: 'Get Transactions For Account',
    logName: 'transactions',
    scope: 'bank:transactions:read',
    versions: [1, 2],
    parameters: listBankingTransactions.query.properties as unknown as Parameters,
    response: { list: 'transactions', record: bankingTransaction },
  },
  accountDirectDebits: {
    ...directDebits,
    ...listOf,
    path: '/banking/accounts/{accountId}/direct-debits',
    summary: 'Get Direct Debits For Account',
    versions: [1, 1],
  },
  directDebits: {
    ...directDebits,
    ...listOfAll,
    path: '/banking/accounts/direct-debits',
    summary: 'Get Bulk Direct Debits',
    versions: [1, 2],
    payLaterSince: 2,
  },
  directDebitsOfAccounts: {
    ...directDebits,
    ...listOfSelected,
    path: '/banking/accounts/direct-debits',
    summary: 'Get Direct Debits For Specific Accounts',
    versions: [1, 1],
  },
  accountPayments: {
    ...payments,
    ...listOf,
    path: '/banking/accounts/{accountId}/payments/scheduled',
    summary: 'Get Scheduled Payments for Account',
    versions: [2, 2],
  },
  payments: {
    ...payments,
    ...listOfAll,
    path: '/banking/payments/scheduled',
    summary: 'Get Scheduled Payments Bulk',
    versions: [2, 3],
    payLaterSince: 3,
  },
  paymentsOfAccounts: {
    ...payments,
    ...listOfSelected,
    path: '/banking/payments/scheduled',
    summary: 'Get Scheduled Payments For Specific Accounts',
    versions: [2, 2],
  },
  customer: {
    ...get,
    path: '/common/customer',
    summary: 'Get Customer',
    logName: 'customer',
    scope: 'common:customer.basic:read',
    versions: [1, 1],
    response: { record: customer },
  },
  customerDetail: {
    ...get,
    path: '/common/customer/detail',
    summary: 'Get Customer Detail',
    logName: 'customer-detail',
    scope: 'common:customer.detail:read',
    versions: [2, 2],
    response: { record: customerDetail },
  },
} as const satisfies Record<string, CdsEndpoint>

export type CdsEndpointId = keyof typeof cdsEndpoints
