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
import { Type } from '../type.ts'
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
  description:
    'Returns every customer with this e-mail address. If no customer has it, the list is empty.',
  params: Type.Object({}),
  body: CustomerSearch,
  response: record(
    'CustomerMatches',
    { data: Type.Array(CustomerMatch) },
    {},
    { description: 'The customers with an e-mail address.' },
  ),
  errors: [],
} as const satisfies Operation

export const listShareableAccounts = {
  ...common,
  ref: 'C2',
  method: 'GET',
  path: '/auth/v1/customer/{customerId}/accounts',
  summary: 'List the accounts that a customer can share',
  description: 'Returns bank and energy accounts together, in order of creation.',
  params: CustomerParams,
  response: record(
    'ShareableAccounts',
    { accounts: Type.Array(ShareableAccount) },
    {},
    { description: 'The accounts that a customer can share.' },
  ),
  errors: ['customer_not_found'],
} as const satisfies Operation

export const getCustomer = {
  ...common,
  ref: 'C3',
  method: 'GET',
  path: '/auth/v1/customer/{customerId}',
  summary: 'Get a customer',
  description: 'Returns the identity of the customer, for identity tokens.',
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
  description:
    'Returns the balance of a bank account as JSON numbers, for display in the consent flow.',
  params: Type.Object({
    ...CustomerParams.properties,
    id: described(Text, 'The id of the account.'),
  }),
  response: ExampleBalance,
  errors: ['customer_not_found', 'account_not_found'],
} as const satisfies Operation
