import { balance, bankingAccount, customer } from '../test/support/lines.ts'

export interface ConsentCustomer {
  readonly id: string
  readonly email: string
  readonly phoneNumber: string
  /** The account that is shared. The customer has another one. */
  readonly accountId: string
  readonly displayName: string
  readonly balance: string
}

const perSecond = 3
const countMin = 20

/** One customer for each consent, since passcodes are limited by customer. */
export function createConsentCustomers(totalMs: number): ConsentCustomer[] {
  const count = countMin + Math.ceil((totalMs / 1000) * perSecond)
  return Array.from({ length: count }, (_, index) => ({
    id: `sharing-${index}`,
    email: `sharing-${index}@example.com`,
    phoneNumber: `+614${String(index).padStart(8, '0')}`,
    accountId: `sharing-${index}-1`,
    displayName: `Everyday ${index}`,
    balance: `${index}.25`,
  }))
}

export function createCustomerLines(customers: readonly ConsentCustomer[]): string[] {
  return customers
    .flatMap(({ id, email, phoneNumber, accountId, displayName, ...shared }) => [
      customer(id, { name: id, email, phoneNumber }),
      bankingAccount(
        accountId,
        { [id]: true },
        { displayName, productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS' },
      ),
      balance(accountId, { currentBalance: shared.balance }),
      bankingAccount(`${id}-2`, { [id]: true }, { displayName: 'Not shared' }),
      balance(`${id}-2`),
    ])
    .map((line) => JSON.stringify(line))
}
