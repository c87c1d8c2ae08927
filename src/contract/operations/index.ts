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

/** Sections A and C: what a data provider answers. */
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

/** Section D, and what else callers of a catalogue expect. */
export const catalogueOperations = {
  createProduct,
  replaceProduct,
  getProduct,
  listProducts,
  deleteProduct,
  listProductChanges,
} as const satisfies Record<string, Operation>

/** How API clients get their tokens, and providers the keys of the platform's. */
export const accessOperations = { issueToken, getKeySet } as const satisfies Record<
  string,
  Operation
>

/** Every operation of the interface, by the name it has everywhere. */
export const operations = {
  ...providerOperations,
  ...catalogueOperations,
  ...accessOperations,
} as const

export type OperationId = keyof typeof operations
export type OperationOf<Id extends OperationId> = (typeof operations)[Id]
