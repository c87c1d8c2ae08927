/** Lines with the required fields of a record. A test adds other fields. */

/** Customer ids, and whether the customer owns the account. */
export type Holders = Readonly<Record<string, boolean>>

type Fields = Readonly<Record<string, unknown>>

export function customer(id: string, fields: Fields = {}) {
  return { type: 'customer', record: { id, name: 'Ana', email: 'ana@example.com', ...fields } }
}

export function bankingAccount(accountId: string, holders: Holders, fields: Fields = {}) {
  const users = isShared(holders) ? { users: [{ id: 1, email: 'ana@example.com' }] } : {}
  return {
    type: 'banking.account',
    holders: Object.entries(holders).map(([customerId, isOwned]) => ({ customerId, isOwned })),
    record: { accountId, ...users, ...fields },
  }
}

export function balance(accountId: string, fields: Fields = {}) {
  return {
    type: 'banking.balance',
    record: { accountId, currentBalance: '10.00', availableBalance: '9.00', ...fields },
  }
}

/** A posted transaction by default; undefined removes a field. */
export function transaction(accountId: string, transactionId: string, fields: Fields = {}) {
  const posted = { status: 'POSTED', amount: '1.00', postingDateTime: '2025-06-01T00:00:00Z' }
  return {
    type: 'banking.transaction',
    record: { accountId, transactionId, ...posted, ...fields },
  }
}

export const pending = { status: 'PENDING', postingDateTime: undefined } as const

export function scheduledPayment(accountId: string, id: string, fields: Fields = {}) {
  return {
    type: 'banking.scheduledPayment',
    record: { scheduledPaymentId: id, from: { accountId }, ...fields },
  }
}

export function directDebit(accountId: string, id: string, fields: Fields = {}) {
  return {
    type: 'banking.directDebit',
    id,
    record: { accountId, authorisedEntity: { description: id }, ...fields },
  }
}

export function energyAccount(accountId: string, holders: readonly string[], fields: Fields = {}) {
  const users = holders.length > 1 ? { users: [{ id: 'u1' }] } : {}
  return {
    type: 'energy.account',
    holders: holders.map((customerId) => ({ customerId })),
    record: { accountId, ...users, ...fields },
  }
}

export function invoice(accountId: string, invoiceNumber: string, issueDate: string) {
  return { type: 'energy.invoice', record: { accountId, invoiceNumber, issueDate } }
}

/** The record has no id: the amount distinguishes it. */
export function billing(accountId: string, id: string, executionDateTime: string, amount = '1.00') {
  return {
    type: 'energy.billing',
    id,
    record: {
      accountId,
      transactionUType: 'payment',
      executionDateTime,
      payment: { amount },
    },
  }
}

export const contactRecord = {
  holders: [{ relationship: 'PRIMARY', name: { first: 'Ana', last: 'Silva' } }],
  emails: ['ana@example.com'],
  addresses: [
    { line1: '1 Wattle St', city: 'Ballarat', region: 'VIC', postalCode: '3350', country: 'AU' },
  ],
  telephones: [{ type: 'CELL', country: '61', number: '491570006' }],
}

export function contact(accountId: string, status = 'OPEN', record: Fields = contactRecord) {
  return { type: 'account.contact', accountId, status, record }
}

/** Of an account or a customer. */
export function restriction(
  of: { readonly accountId: string } | { readonly customerId: string },
  reason: string,
  until?: string,
) {
  return { type: 'restriction', record: { ...of, reason, until } }
}

function isShared(holders: Holders): boolean {
  return Object.keys(holders).length > 1
}
