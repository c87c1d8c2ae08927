import { invoiceMonthsDefault } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { paged, pageQuery } from '../paging.ts'
import { optional, record } from '../record.ts'
import { EnergyAccount, EnergyAccountDetail } from '../records/energy-account.ts'
import { EnergyBillingTransaction, EnergyInvoice } from '../records/energy-billing.ts'
import { PlainDate } from '../scalars.ts'
import { Type } from '../type.ts'
import {
  AccountIds,
  AccountParams,
  CustomerParams,
  openStatus,
  plain,
  replacedByC2,
  timeBounds,
} from './shared-parameters.ts'

const common = {
  ...plain,
  base: 'provider',
  protection: 'platformToken',
  tag: 'energy',
  accountKinds: ['energy'],
  params: CustomerParams,
} as const

const timeQuery = Type.Object({ ...timeBounds, ...pageQuery })

const billing = paged('EnergyBillingList', 'A page of billing transactions.', {
  transactions: Type.Array(EnergyBillingTransaction),
})

export const listEnergyAccounts = {
  ...common,
  ref: 'E1',
  method: 'GET',
  path: '/v1/energy/customer/{customerId}/accounts',
  deprecated: replacedByC2,
  summary: 'List the energy accounts of a customer',
  description:
    'Returns every energy account of the customer in order of creation, with its plans and users.',
  query: Type.Object({ 'open-status': openStatus, ...pageQuery }),
  response: paged('EnergyAccountList', 'A page of energy accounts.', {
    accounts: Type.Array(EnergyAccount),
  }),
} as const satisfies Operation

export const listEnergyAccountDetails = {
  ...common,
  ref: 'E2',
  method: 'POST',
  path: '/v1/energy/customer/{customerId}/accounts',
  summary: 'List the given energy accounts with their plans',
  description: 'Returns the accounts with the details of their plans, in the order of the request.',
  query: Type.Object({ 'open-status': openStatus, ...pageQuery }),
  body: AccountIds,
  response: paged('EnergyAccountDetailList', 'A page of energy accounts, without their users.', {
    accounts: Type.Array(EnergyAccountDetail),
  }),
} as const satisfies Operation

export const listEnergyInvoices = {
  ...common,
  ref: 'E3',
  method: 'POST',
  path: '/v1/energy/customer/{customerId}/accounts/invoices',
  summary: 'List the invoices of the given energy accounts',
  description:
    'Returns the invoices with the newest issue date first. The bounds of the filters are inclusive.',
  query: Type.Object({
    'newest-date': optional(PlainDate, 'Issued on or before this date. Default: today.'),
    'oldest-date': optional(
      PlainDate,
      `Issued on or after this date. Default: \`newest-date\` minus ${invoiceMonthsDefault} months.`,
    ),
    ...pageQuery,
  }),
  body: AccountIds,
  response: paged('EnergyInvoiceList', 'A page of invoices.', {
    invoices: Type.Array(EnergyInvoice),
  }),
} as const satisfies Operation

export const listEnergyBilling = {
  ...common,
  ref: 'E4',
  method: 'GET',
  path: '/v1/energy/customer/{customerId}/accounts/{accountId}/billing',
  summary: 'List the billing transactions of an energy account',
  description:
    'Returns the newest transactions first, by execution time. The bounds of the filters are inclusive.',
  params: AccountParams,
  query: timeQuery,
  response: billing,
} as const satisfies Operation

export const listEnergyBillingOfAccounts = {
  ...common,
  ref: 'E5',
  method: 'POST',
  path: '/v1/energy/customer/{customerId}/accounts/billing',
  summary: 'List the billing transactions of the given energy accounts',
  description:
    'Returns the newest transactions of all given accounts first, by execution time. The bounds of the filters are inclusive.',
  query: timeQuery,
  body: AccountIds,
  response: billing,
} as const satisfies Operation

export const getEnergyAccount = {
  ...common,
  isExtension: true,
  ref: 'EX1',
  method: 'GET',
  path: '/v1/energy/customer/{customerId}/accounts/{accountId}',
  summary: 'Get an energy account with its plans',
  description: 'Returns the account as `listEnergyAccountDetails` does, without its users.',
  params: AccountParams,
  response: record('SingleEnergyAccount', {
    description: 'One energy account, without its users.',
    required: { data: EnergyAccountDetail },
  }),
} as const satisfies Operation
