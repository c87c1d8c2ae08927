import { type AdapterPayload, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Customer } from '../../contract/index.ts'
import { identityClaims, readClaims } from './scopes.ts'

/** The claims about customers, each read from the provider once in a request (C3). */
export function openCustomerClaims(readCustomer: (customerId: string) => Promise<Customer>) {
  const customers = new WeakMap<object, Promise<Customer>>()
  const read = async (ctx: KoaContextWithOIDC, customerId: string, scope: string) => {
    const scopes = scope.split(' ')
    if (!scopes.some((each) => Object.hasOwn(identityClaims, each))) return {}
    const customer = customers.get(ctx) ?? readCustomer(customerId)
    customers.set(ctx, customer)
    return readClaims(scopes, await customer)
  }
  return {
    read,
    /** Reads the customer of a code. If this fails, no tokens must be stored: the third party may use the code again. */
    async prepare({ accountId = '', scope = '' }: AdapterPayload): Promise<void> {
      if (Provider.ctx) await read(Provider.ctx, accountId, scope)
    },
  }
}
