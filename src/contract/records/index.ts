import { BankingAccount } from './banking-account.ts'
import { BankingBalance, BankingTransaction } from './banking-history.ts'
import { DirectDebit, ScheduledPayment } from './banking-payments.ts'
import { AccountContact } from './contact.ts'
import { Customer } from './customer.ts'
import { EnergyAccount } from './energy-account.ts'
import { EnergyBillingTransaction, EnergyInvoice } from './energy-billing.ts'
import { Product } from './product.ts'
import { Restriction } from './restriction.ts'

/** The records that can be loaded, by the `type` of their line. */
export const recordTypes = {
  customer: Customer,
  'banking.account': BankingAccount,
  'banking.balance': BankingBalance,
  'banking.transaction': BankingTransaction,
  'banking.scheduledPayment': ScheduledPayment,
  'banking.directDebit': DirectDebit,
  'energy.account': EnergyAccount,
  'energy.invoice': EnergyInvoice,
  'energy.billing': EnergyBillingTransaction,
  'account.contact': AccountContact,
  restriction: Restriction,
  product: Product,
} as const

export type RecordType = keyof typeof recordTypes
