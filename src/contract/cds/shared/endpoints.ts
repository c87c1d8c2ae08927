import { values } from '../../enumerations.ts'
import { listBankingTransactions } from '../../operations/banking.ts'
import {
  listEnergyAccounts,
  listEnergyBilling,
  listEnergyInvoices,
} from '../../operations/energy.ts'
import { AccountIds, openStatus } from '../../operations/shared-parameters.ts'
import { pageQuery } from '../../paging.ts'
import { asNode, type Node } from '../../schema.ts'
import { bankingAccount, bankingAccountDetail } from './banking-account.ts'
import { bankingBalance, bankingTransaction } from './banking-history.ts'
import { directDebit, scheduledPayment } from './banking-payments.ts'
import { customer, customerDetail } from './customer.ts'
import { energyAccount, energyAccountDetail } from './energy-account.ts'
import { energyBilling, energyInvoice } from './energy-billing.ts'
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
  /** The performance tier of its calls, of high priority only while the customer is present. By default `lowPriority`, and then `unattended`. */
  readonly tier?: 'highPriority' | 'largePayload'
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

/** Those of the operation that the provider is asked with. */
function parametersOf({ query }: { readonly query: { readonly properties: object } }): Parameters {
  return query.properties as Parameters
}

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

const energy = { accounts: 'energy' } as const
const billingScope = 'energy:billing:read'

const invoices = {
  ...energy,
  logName: 'invoices',
  scope: billingScope,
  versions: [1, 1],
  parameters: parametersOf(listEnergyInvoices),
  response: { list: 'invoices', record: energyInvoice },
} as const

const billing = {
  ...energy,
  logName: 'billing',
  scope: billingScope,
  versions: [3, 3],
  parameters: parametersOf(listEnergyBilling),
  response: { list: 'transactions', record: energyBilling },
} as const

export const cdsEndpoints = {
  accounts: {
    ...banking,
    ...listOfAll,
    path: '/banking/accounts',
    summary: 'Get Accounts',
    tier: 'highPriority',
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
    parameters: parametersOf(listBankingTransactions),
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
    tier: 'largePayload',
    versions: [1, 2],
    payLaterSince: 2,
  },
  directDebitsOfAccounts: {
    ...directDebits,
    ...listOfSelected,
    path: '/banking/accounts/direct-debits',
    summary: 'Get Direct Debits For Specific Accounts',
    tier: 'largePayload',
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
  energyAccounts: {
    ...energy,
    method: 'GET',
    path: '/energy/accounts',
    summary: 'Get Energy Accounts',
    tier: 'highPriority',
    logName: 'energy-accounts',
    scope: 'energy:accounts.basic:read',
    versions: [2, 2],
    parameters: parametersOf(listEnergyAccounts),
    response: { list: 'accounts', record: energyAccount },
  },
  energyAccount: {
    ...energy,
    ...get,
    path: '/energy/accounts/{accountId}',
    summary: 'Get Energy Account Detail',
    tier: 'highPriority',
    logName: 'energy-account',
    scope: 'energy:accounts.detail:read',
    versions: [4, 4],
    response: { record: energyAccountDetail },
  },
  accountInvoices: {
    ...invoices,
    method: 'GET',
    path: '/energy/accounts/{accountId}/invoices',
    summary: 'Get Invoices For Account',
    tier: 'highPriority',
  },
  invoices: {
    ...invoices,
    method: 'GET',
    path: '/energy/accounts/invoices',
    summary: 'Get Bulk Invoices',
  },
  invoicesOfAccounts: {
    ...invoices,
    method: 'POST',
    path: '/energy/accounts/invoices',
    summary: 'Get Invoices For Specific Accounts',
    body: AccountIds,
  },
  accountBilling: {
    ...billing,
    method: 'GET',
    path: '/energy/accounts/{accountId}/billing',
    summary: 'Get Billing For Account',
  },
  billing: {
    ...billing,
    method: 'GET',
    path: '/energy/accounts/billing',
    summary: 'Get Bulk Billing',
    tier: 'largePayload',
  },
  billingOfAccounts: {
    ...billing,
    method: 'POST',
    path: '/energy/accounts/billing',
    summary: 'Get Billing For Specific Accounts',
    tier: 'largePayload',
    body: AccountIds,
  },
  customer: {
    ...get,
    path: '/common/customer',
    summary: 'Get Customer',
    tier: 'highPriority',
    logName: 'customer',
    scope: 'common:customer.basic:read',
    versions: [1, 1],
    response: { record: customer },
  },
  customerDetail: {
    ...get,
    path: '/common/customer/detail',
    summary: 'Get Customer Detail',
    tier: 'highPriority',
    logName: 'customer-detail',
    scope: 'common:customer.detail:read',
    versions: [2, 2],
    response: { record: customerDetail },
  },
} as const satisfies Record<string, CdsEndpoint>

export type CdsEndpointId = keyof typeof cdsEndpoints
