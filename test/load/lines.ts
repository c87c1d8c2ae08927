import {
  bankingAccount,
  bankingBalance,
  bankingTransaction,
  directDebit,
  scheduledPayment,
} from '../../src/contract/examples/banking.ts'
import { accountContact, customer } from '../../src/contract/examples/customers.ts'
import { energyAccount, energyInvoice, energyUsage } from '../../src/contract/examples/energy.ts'
import { savingsProduct } from '../../src/contract/examples/product.ts'
import type { RecordType } from '../../src/contract/index.ts'

export function line(type: RecordType, record: object, beside: object = {}): string {
  return JSON.stringify({ type, ...beside, record })
}

export function removal(type: RecordType, key: object): string {
  return JSON.stringify({ type, delete: key })
}

/** The contract's examples as lines, under ids of the test's own. `more` replaces fields. */
export const put = {
  customer: (id: string, more: object = {}) => line('customer', { ...customer, id, ...more }),
  account: (accountId: string, holders: readonly string[], more: object = {}) =>
    line('banking.account', { ...bankingAccount, accountId, ...more }, held(holders)),
  balance: (accountId: string, more: object = {}) =>
    line('banking.balance', { ...bankingBalance, accountId, ...more }),
  transaction: (accountId: string, transactionId: string, more: object = {}) =>
    line('banking.transaction', { ...bankingTransaction, accountId, transactionId, ...more }),
  payment: (accountId: string, scheduledPaymentId: string, more: object = {}) =>
    line('banking.scheduledPayment', {
      ...scheduledPayment,
      scheduledPaymentId,
      from: { accountId },
      ...more,
    }),
  debit: (accountId: string, id?: string, more: object = {}) =>
    line('banking.directDebit', { ...directDebit, accountId, ...more }, named(id)),
  energyAccount: (accountId: string, holders: readonly string[], more: object = {}) =>
    line('energy.account', { ...energyAccount, accountId, ...more }, held(holders)),
  invoice: (accountId: string, invoiceNumber: string, more: object = {}) =>
    line('energy.invoice', { ...energyInvoice, accountId, invoiceNumber, ...more }),
  billing: (accountId: string, id?: string, more: object = {}) =>
    line('energy.billing', { ...energyUsage, accountId, ...more }, named(id)),
  contact: (accountId: string, more: object = {}) =>
    line('account.contact', { ...accountContact, ...more }, { accountId, status: 'OPEN' }),
  /** With a time, which a product without one gets when it is loaded. */
  product: (product_id: string, more: object = {}) =>
    line('product', {
      product_id,
      ...savingsProduct,
      last_updated: '2025-03-01T10:00:00+10:00',
      ...more,
    }),
} as const

/** A transaction that has no time of its own: it gets that of its first load. */
export function timeless(accountId: string, transactionId: string, more: object = {}): string {
  const { postingDateTime: _posted, ...pending } = bankingTransaction
  return line('banking.transaction', {
    ...pending,
    accountId,
    transactionId,
    status: 'PENDING',
    ...more,
  })
}

/** One of everything: two customers, an account of each kind, and all that these can have. */
export function oneOfEach(): Record<RecordType, string> {
  return {
    customer: put.customer('c1'),
    'banking.account': put.account('a1', ['c1']),
    'banking.balance': put.balance('a1'),
    'banking.transaction': put.transaction('a1', 't1'),
    'banking.scheduledPayment': put.payment('a1', 's1'),
    'banking.directDebit': put.debit('a1', 'd1'),
    'energy.account': put.energyAccount('e1', ['c1']),
    'energy.invoice': put.invoice('e1', 'i1'),
    'energy.billing': put.billing('e1', 'b1'),
    'account.contact': put.contact('a1'),
    product: put.product('p1'),
  }
}

/** The key that removes each line of `oneOfEach`. */
export const keyOfEach: Readonly<Record<RecordType, object>> = {
  customer: { id: 'c1' },
  'banking.account': { accountId: 'a1' },
  'banking.balance': { accountId: 'a1' },
  'banking.transaction': { accountId: 'a1', transactionId: 't1' },
  'banking.scheduledPayment': { scheduledPaymentId: 's1' },
  'banking.directDebit': { accountId: 'a1', id: 'd1' },
  'energy.account': { accountId: 'e1' },
  'energy.invoice': { accountId: 'e1', invoiceNumber: 'i1' },
  'energy.billing': { accountId: 'e1', id: 'b1' },
  'account.contact': { accountId: 'a1' },
  product: { product_id: 'p1' },
}

function held(customers: readonly string[]): object {
  return { holders: customers.map((customerId) => ({ customerId, isOwned: true })) }
}

function named(id: string | undefined): object {
  return id === undefined ? {} : { id }
}
