import type { Operation } from '../operation.ts'
import {
  listBankingAccounts,
  listBankingBalances,
  listBankingTransactions,
  listDirectDebits,
  listScheduledPayments,
  listScheduledPaymentsOfAccounts,
} from './banking.ts'
import { createProduct, getProduct, replaceProduct } from './catalogue.ts'
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

/** Section D: what the platform answers. */
export const catalogueOperations = {
  createProduct,
  replaceProduct,
  getProduct,
} as const satisfies Record<string, Operation>

/** Every operation of the interface, by the name it has everywhere. */
export const operations = { ...providerOperations, ...catalogueOperations } as const

export type OperationId = keyof typeof operations
export type OperationOf<Id extends OperationId> = (typeof operations)[Id]
