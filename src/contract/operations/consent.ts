import Type from 'typebox'
import type { Operation } from '../operation.ts'
import { described, record } from '../record.ts'
import {
  Customer,
  CustomerMatch,
  CustomerSearch,
  ExampleBalance,
  ShareableAccount,
} from '../records/consent.ts'
import { Text } from '../scalars.ts'
import { CustomerParams, noQuery } from './shared-parameters.ts'

const common = {
  base: 'provider',
  protection: 'platformToken',
  tag: 'consent',
  query: noQuery,
  status: 200,
} as const

export const searchCustomers = {
  ...common,
  ref: 'C1',
  method: 'POST',
  path: '/auth/v1/customer/search',
  summary: 'Find customers by e-mail address',
  params: Type.Object({}),
  body: CustomerSearch,
  response: record('CustomerMatches', { data: Type.Array(CustomerMatch) }),
  errors: [],
} as const satisfies Operation

export const listShareableAccounts = {
  ...common,
  ref: 'C2',
  method: 'GET',
  path: '/auth/v1/customer/{customerId}/accounts',
  summary: 'List the accounts that a customer can share',
  description: 'Bank and energy accounts together, in order of creation.',
  params: CustomerParams,
  response: record('ShareableAccounts', { accounts: Type.Array(ShareableAccount) }),
  errors: ['customer_not_found'],
} as const satisfies Operation

export const getCustomer = {
  ...common,
  ref: 'C3',
  method: 'GET',
  path: '/auth/v1/customer/{customerId}',
  summary: 'Get a customer',
  params: CustomerParams,
  response: Customer,
  errors: ['customer_not_found'],
} as const satisfies Operation

export const getExampleBalance = {
  ...common,
  ref: 'C4',
  method: 'GET',
  path: '/customer/{customerId}/accounts/{id}/balances',
  accountKinds: ['banking'],
  summary: 'Get the balance of an account, as numbers',
  params: Type.Object({
    ...CustomerParams.properties,
    id: described(Text, 'The id of the account.'),
  }),
  response: ExampleBalance,
  errors: ['customer_not_found', 'account_not_found'],
} as const satisfies Operation
