import type { Operation } from '../operation.ts'
import { getKeySet, issueToken } from './access.ts'
import {
  listBankingAccounts,
  listBankingBalances,
  listBankingTransactions,
  listDirectDebits,
  listScheduledPayments,
  listScheduledPaymentsOfAccounts,
} from './banking.ts'
import {
  createProduct,
  deleteProduct,
  getProduct,
  listProductChanges,
  listProducts,
  replaceProduct,
} from './catalogue.ts'
import {
  getCustomer,
  getExampleBalance,
  listShareableAccounts,
  searchCustomers,
} from './consent.ts'
import { getAccountContact } from './contact.ts'
import {
  listEnergyAccountDetails,
  listEnergyAccounts,
  listEnergyBilling,
  listEnergyBillingOfAccounts,
  listEnergyInvoices,
} from './energy.ts'

/** Sections A and C of the interface: the operations of a data provider. */
export const providerOperations = {
  listBankingAccounts,
  listBankingBalances,
  listBankingTransactions,
  listScheduledPayments,
  listDirectDebits,
  listScheduledPaymentsOfAccounts,
  listEnergyAccounts,
  listEnergyAccountDetails,
  listEnergyInvoices,
  listEnergyBilling,
  listEnergyBillingOfAccounts,
  getAccountContact,
  searchCustomers,
  listShareableAccounts,
  getCustomer,
  getExampleBalance,
} as const satisfies Record<string, Operation>

/** Section D of the interface, and the other operations that a catalogue needs. */
export const catalogueOperations = {
  createProduct,
  replaceProduct,
  getProduct,
  listProducts,
  deleteProduct,
  listProductChanges,
} as const satisfies Record<string, Operation>

/** Tokens for API clients, and the public keys that providers verify platform tokens with. */
export const accessOperations = { issueToken, getKeySet } as const satisfies Record<
  string,
  Operation
>

/** Every operation by its id. OpenAPI, the client and the handlers use the same ids. */
export const operations = {
  ...providerOperations,
  ...catalogueOperations,
  ...accessOperations,
} as const

export type OperationId = keyof typeof operations
export type OperationOf<Id extends OperationId> = (typeof operations)[Id]
