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

export function line(type: RecordType, record: object, envelope: object = {}): string {
  return JSON.stringify({ type, ...envelope, record })
}

export function removal(type: RecordType, key: object): string {
  return JSON.stringify({ type, delete: key })
}

/** Lines with the contract's examples and the given ids. `fields` overrides fields. */
export const put = {
  customer: (id: string, fields: object = {}) => line('customer', { ...customer, id, ...fields }),
  account: (accountId: string, holders: readonly string[], fields: object = {}) =>
    line('banking.account', { ...bankingAccount, accountId, ...fields }, withHolders(holders)),
  balance: (accountId: string, fields: object = {}) =>
    line('banking.balance', { ...bankingBalance, accountId, ...fields }),
  transaction: (accountId: string, transactionId: string, fields: object = {}) =>
    line('banking.transaction', { ...bankingTransaction, accountId, transactionId, ...fields }),
  payment: (accountId: string, scheduledPaymentId: string, fields: object = {}) =>
    line('banking.scheduledPayment', {
      ...scheduledPayment,
      scheduledPaymentId,
      from: { accountId },
      ...fields,
    }),
  debit: (accountId: string, id?: string, fields: object = {}) =>
    line('banking.directDebit', { ...directDebit, accountId, ...fields }, withId(id)),
  energyAccount: (accountId: string, holders: readonly string[], fields: object = {}) =>
    line('energy.account', { ...energyAccount, accountId, ...fields }, withHolders(holders)),
  invoice: (accountId: string, invoiceNumber: string, fields: object = {}) =>
    line('energy.invoice', { ...energyInvoice, accountId, invoiceNumber, ...fields }),
  billing: (accountId: string, id?: string, fields: object = {}) =>
    line('energy.billing', { ...energyUsage, accountId, ...fields }, withId(id)),
  contact: (accountId: string, fields: object = {}) =>
    line('account.contact', { ...accountContact, ...fields }, { accountId, status: 'OPEN' }),
  restriction: (of: object, fields: object = {}) =>
    line('restriction', { ...of, reason: 'blocked', ...fields }),
  /** With `last_updated`, which a load would otherwise set. */
  product: (product_id: string, fields: object = {}) =>
    line('product', {
      product_id,
      ...savingsProduct,
      last_updated: '2025-03-01T10:00:00+10:00',
      ...fields,
    }),
} as const

/** A transaction without a time: its effective time is that of its first load. */
export function undated(accountId: string, transactionId: string, fields: object = {}): string {
  const { postingDateTime: _posted, ...pending } = bankingTransaction
  return line('banking.transaction', {
    ...pending,
    accountId,
    transactionId,
    status: 'PENDING',
    ...fields,
  })
}

/** One line of each type: a customer, an account of each kind, and their records. */
export function createExamples(): Record<RecordType, string> {
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
    restriction: put.restriction({ customerId: 'c1' }, { until: '2025-01-01T00:00:00Z' }),
    product: put.product('p1'),
  }
}

/** The key that deletes each line of `createExamples`. */
export const exampleKeys: Readonly<Record<RecordType, object>> = {
  customer: { id: 'c1' },
  'banking.account': { accountId: 'a1' },
  'banking.balance': { accountId: 'a1' },
  'banking.transaction': { accountId: 'a1', transactionId: 't1' },
  'banking.scheduledPayment': { accountId: 'a1', scheduledPaymentId: 's1' },
  'banking.directDebit': { accountId: 'a1', id: 'd1' },
  'energy.account': { accountId: 'e1' },
  'energy.invoice': { accountId: 'e1', invoiceNumber: 'i1' },
  'energy.billing': { accountId: 'e1', id: 'b1' },
  'account.contact': { accountId: 'a1' },
  restriction: { customerId: 'c1' },
  product: { product_id: 'p1' },
}

function withHolders(customers: readonly string[]): object {
  return { holders: customers.map((customerId) => ({ customerId, isOwned: true })) }
}

function withId(id: string | undefined): object {
  return id === undefined ? {} : { id }
}
