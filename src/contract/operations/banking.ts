import { searchTextLengthMax } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { paged, pageQuery } from '../paging.ts'
import { described, optional, record } from '../record.ts'
import { BankingAccount, BankingAccountV3 } from '../records/banking-account.ts'
import { BankingBalance, BankingTransaction } from '../records/banking-history.ts'
import { DirectDebit, ScheduledPayment } from '../records/banking-payments.ts'
import { Money } from '../scalars.ts'
import { Type } from '../type.ts'
import {
  AccountIds,
  AccountParams,
  CustomerParams,
  isOwned,
  openStatus,
  plain,
  productCategory,
  replacedByC2,
  timeBounds,
} from './shared-parameters.ts'

const common = {
  ...plain,
  base: 'provider',
  protection: 'platformToken',
  tag: 'banking',
  accountKinds: ['banking'],
  params: CustomerParams,
} as const

const accountQuery = Type.Object({
  'product-category': productCategory,
  'open-status': openStatus,
  'is-owned': isOwned,
  ...pageQuery,
})

const anyAccount = Type.Union([BankingAccount, BankingAccountV3])
const accountVersions = 'Version 4, or version 3 if the provider is configured to serve it.'

export const listBankingAccounts = {
  ...common,
  ref: 'B1',
  method: 'GET',
  path: '/v1/banking/customer/{customerId}/accounts',
  deprecated: replacedByC2,
  summary: 'List the bank accounts of a customer',
  description:
    'Returns every bank account of the customer in order of creation, with its rates, fees and features.',
  query: accountQuery,
  response: paged('BankingAccountList', 'A page of bank accounts.', {
    accounts: described(Type.Array(anyAccount), accountVersions),
  }),
} as const satisfies Operation

export const listBankingBalances = {
  ...common,
  ref: 'B2',
  method: 'POST',
  path: '/v1/banking/customer/{customerId}/accounts/balances',
  summary: 'List the balances of the given accounts',
  description:
    'Returns the current and the available balance of each account, in the order of the request. If one of the accounts that pass the filters has no balance, the response is an error.',
  query: Type.Object({
    ...pageQuery,
    'product-category': productCategory,
    'open-status': openStatus,
    'is-owned': isOwned,
  }),
  body: AccountIds,
  response: paged('BankingBalanceList', 'A page of balances.', {
    balances: Type.Array(BankingBalance),
  }),
  errors: ['balance_in_query_not_found'],
} as const satisfies Operation

export const listBankingTransactions = {
  ...common,
  ref: 'B3',
  method: 'GET',
  path: '/v1/banking/customer/{customerId}/accounts/{accountId}/transactions',
  summary: 'List the transactions of an account',
  description:
    'Returns the newest transactions first, by effective time: the posting time, otherwise the execution time, otherwise the time when the record was first loaded. The bounds of the filters are inclusive.',
  params: AccountParams,
  query: Type.Object({
    ...timeBounds,
    'min-amount': optional(Money, 'The minimum amount, including the sign.'),
    'max-amount': optional(Money, 'The maximum amount, including the sign.'),
    text: optional(
      Type.String({ maxLength: searchTextLengthMax }),
      'A part of the reference or description. Case-insensitive, no wildcards.',
    ),
    ...pageQuery,
  }),
  response: paged('BankingTransactionList', 'A page of transactions.', {
    transactions: Type.Array(BankingTransaction),
  }),
} as const satisfies Operation

const scheduledPayments = paged('ScheduledPaymentList', 'A page of scheduled payments.', {
  scheduledPayments: Type.Array(ScheduledPayment),
})

export const listScheduledPayments = {
  ...common,
  ref: 'B4',
  method: 'GET',
  path: '/v1/banking/customer/{customerId}/accounts/{accountId}/payments/scheduled',
  summary: 'List the scheduled payments of an account',
  description: 'Returns the payments that the customer has scheduled from the account.',
  params: AccountParams,
  query: Type.Object(pageQuery),
  response: scheduledPayments,
} as const satisfies Operation

export const listDirectDebits = {
  ...common,
  ref: 'B5',
  method: 'POST',
  path: '/v1/banking/customer/{customerId}/accounts/direct-debits',
  summary: 'List the direct-debit authorisations of the given accounts',
  description:
    'Returns the organisations that may debit each account, in the order of the request.',
  query: accountQuery,
  body: AccountIds,
  response: paged('DirectDebitList', 'A page of direct-debit authorisations.', {
    directDebitAuthorisations: Type.Array(DirectDebit),
  }),
} as const satisfies Operation

export const listScheduledPaymentsOfAccounts = {
  ...common,
  ref: 'B6',
  method: 'POST',
  path: '/v1/banking/customer/{customerId}/payments/scheduled',
  summary: 'List the scheduled payments of the given accounts',
  description:
    'Returns the payments that the customer has scheduled from each account, in the order of the request.',
  query: Type.Object({ 'is-owned': isOwned, 'open-status': openStatus, ...pageQuery }),
  body: AccountIds,
  response: scheduledPayments,
} as const satisfies Operation

export const getBankingAccount = {
  ...common,
  isExtension: true,
  ref: 'BX1',
  method: 'GET',
  path: '/v1/banking/customer/{customerId}/accounts/{accountId}',
  summary: 'Get a bank account',
  description:
    'Returns the account as `listBankingAccounts` does, with the `isOwned` of the customer.',
  params: AccountParams,
  response: record('SingleBankingAccount', {
    description: 'One bank account.',
    required: { data: described(anyAccount, accountVersions) },
  }),
} as const satisfies Operation
