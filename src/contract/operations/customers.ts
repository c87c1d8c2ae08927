import type { Operation } from '../operation.ts'
import { described, record } from '../record.ts'
import {
  Customer,
  CustomerMatch,
  CustomerSearch,
  ExampleBalance,
  ShareableAccount,
} from '../records/customer.ts'
import { Text } from '../scalars.ts'
import { Type } from '../type.ts'
import { CustomerParams, plain } from './shared-parameters.ts'

const common = {
  ...plain,
  base: 'provider',
  protection: 'platformToken',
  tag: 'consent',
} as const

export const searchCustomers = {
  ...common,
  ref: 'C1',
  method: 'POST',
  path: '/auth/v1/customer/search',
  summary: 'Find customers by e-mail address',
  description:
    'Returns every customer who has this e-mail address, or for whom a person with this address may act. If no customer is found, the list is empty.',
  body: CustomerSearch,
  response: record('CustomerMatches', {
    description: 'The customers with an e-mail address.',
    required: { data: Type.Array(CustomerMatch) },
  }),
} as const satisfies Operation

export const listShareableAccounts = {
  ...common,
  ref: 'C2',
  method: 'GET',
  path: '/auth/v1/customer/{customerId}/accounts',
  summary: 'List the accounts that a customer can share',
  description: 'Returns bank and energy accounts together, in order of creation.',
  params: CustomerParams,
  response: record('ShareableAccounts', {
    description: 'The accounts that a customer can share.',
    required: { accounts: Type.Array(ShareableAccount) },
  }),
} as const satisfies Operation

export const getCustomer = {
  ...common,
  ref: 'C3',
  method: 'GET',
  path: '/auth/v1/customer/{customerId}',
  summary: 'Get a customer',
  description: 'Returns the identity of the customer, for ID tokens and UserInfo.',
  params: CustomerParams,
  response: Customer,
} as const satisfies Operation

export const getExampleBalance = {
  ...common,
  ref: 'C4',
  method: 'GET',
  path: '/customer/{customerId}/accounts/{id}/balances',
  accountKinds: ['banking'],
  summary: 'Get the balance of an account, as numbers',
  description:
    'Returns the balance of a bank account as JSON numbers, for display in the consent flow.',
  params: Type.Object({
    ...CustomerParams.properties,
    id: described(Text, 'The id of the account.'),
  }),
  response: ExampleBalance,
  errors: ['balance_not_found'],
} as const satisfies Operation
