import type { SigningKey, SigningKeyStore } from '../auth/signing-key-store.ts'
import { type Client, createClient } from '../client/client.ts'
import { ClientError, ResponseError } from '../client/errors.ts'
import type { Customer, CustomerMatch, ShareableAccount } from '../contract/index.ts'

/** A customer waits for each call, so it is short. A provider that sheds load asks for a retry after a second. */
const timeoutMs = 3000
const retriesMax = 3

/** How long a process uses its copy of the signing key. */
const keyMs = 5000

/** The provider did not answer, or not as the interface requires. The customer can try again. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable'
}

/** What the consent role asks the provider. All methods may throw `ProviderUnavailable`. */
export interface Customers {
  /** C1 */
  search(email: string): Promise<readonly CustomerMatch[]>
  /** C2 */
  listAccounts(customerId: string): Promise<readonly ShareableAccount[]>
  /** C3. Undefined if the customer no longer exists. */
  read(customerId: string): Promise<Customer | undefined>
}

export interface CustomersOptions {
  readonly providerUrl: string
  readonly subdomain: string
  readonly signingKeys: SigningKeyStore
  /** Sends the requests, instead of the global function. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Asks the provider, with a fresh token of the newest signing key for each call. */
export function openCustomers(options: CustomersOptions): Customers {
  const clients = openProviderClient(options)
  const call = async <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
    try {
      return await work(await clients())
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      throw new ProviderUnavailable(error.message, { cause: error })
    }
  }
  return {
    async search(email) {
      // The provider may not accept the text as an address.
      const found = await call((client) =>
        client
          .searchCustomers({ params: {}, body: { email } })
          .catch((error: unknown) => ignoreStatus(400, error)),
      )
      return found?.data ?? []
    },
    async listAccounts(customerId) {
      const { accounts } = await call((client) =>
        client.listShareableAccounts({ params: { customerId } }),
      )
      return accounts
    },
    async read(customerId) {
      return call((client) =>
        client
          .getCustomer({ params: { customerId } })
          .catch((error: unknown) => ignoreStatus(404, error)),
      )
    },
  }
}

function ignoreStatus(status: number, error: unknown): undefined {
  if (error instanceof ResponseError && error.status === status) return undefined
  throw error
}

/** Returns a function for a client that signs with the newest signing key. */
export function openProviderClient({
  providerUrl,
  subdomain,
  signingKeys,
  fetch,
}: CustomersOptions): () => Promise<Client> {
  let current: { readonly id: string; readonly client: Client } | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (current && performance.now() - checkedAt < keyMs) return current.client
    const newest = await readNewestKey(signingKeys)
    checkedAt = performance.now()
    if (newest.id !== current?.id) {
      const key = { ...newest.privateKey, kid: newest.id, alg: newest.algorithm }
      const client = createClient({
        providerUrl,
        subdomain,
        key,
        timeoutMs,
        retriesMax,
        ...(fetch && { fetch }),
      })
      current = { id: newest.id, client }
    }
    return current.client
  }
}

export async function readNewestKey(signingKeys: SigningKeyStore): Promise<SigningKey> {
  const key = (await signingKeys.list()).find(({ retired }) => retired === undefined)
  if (!key) throw new ProviderUnavailable('no signing key: run holdfast keys add')
  return key
}
