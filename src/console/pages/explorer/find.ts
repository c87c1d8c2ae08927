import { listConsents } from '../../../contract/operations/consents.ts'
import { read } from '../../api.ts'
import { features, hasScope } from '../../session.ts'
import { callProvider, unlessMissing } from './calls.ts'

/** As many consents are searched for an account: the interface finds no customer by it. */
export const consentsMax = 1000

export interface Found {
  readonly customers: readonly {
    readonly id: string
    readonly name?: string | undefined
    readonly phoneNumber?: string | undefined
  }[]
  /** Accounts with this id, each with a customer who shares it. */
  readonly accounts: readonly { readonly customerId: string; readonly accountId: string }[]
  /** Whether consents could be searched. */
  readonly isComplete: boolean
}

/** Whether the session may read consents of this platform. */
export function readsConsents(): boolean {
  return features.value.includes('consent') && hasScope('consent.read')
}

/** Customers by an e-mail address or an id, and accounts by an id. */
export async function find(text: string, signal: AbortSignal): Promise<Found> {
  if (text.includes('@')) {
    const body = { email: text }
    const { data } = await callProvider({ operation: 'searchCustomers', body }, signal)
    return { customers: data, accounts: [], isComplete: true }
  }
  const [customer, accounts] = await Promise.all([
    unlessMissing(
      'customer_not_found',
      callProvider({ operation: 'getCustomer', params: { customerId: text } }, signal),
    ),
    readsConsents() ? findAccount(text, signal) : [],
  ])
  const customers = customer ? [{ id: text, name: customer.name }] : []
  return { customers, accounts, isComplete: readsConsents() }
}

async function findAccount(accountId: string, signal: AbortSignal): Promise<Found['accounts']> {
  const query = { order: 'newest', 'page-size': consentsMax }
  const { data } = await read(listConsents, { query, signal })
  const customerIds = data
    .filter(({ accountIds }) => accountIds.includes(accountId))
    .map(({ customerId }) => customerId)
  return [...new Set(customerIds)].map((customerId) => ({ customerId, accountId }))
}
