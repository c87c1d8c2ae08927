import {
  findNewestKey,
  type SigningKey,
  type SigningKeyStore,
  toPrivateJwk,
} from '../../auth/signing-key-store.ts'
import { type Client, createClient } from '../../client/client.ts'
import { ClientError, ResponseError } from '../../client/errors.ts'
import { pathId } from '../../contract/ids.ts'
import type { Customer, CustomerMatch, ShareableAccount } from '../../contract/index.ts'
import { isObject } from '../../contract/schema.ts'

/** Of one attempt. A provider that sheds load asks for a retry after a second. */
const timeoutMs = 3000
const retriesMax = 3

/** The time for all attempts, whatever `Retry-After` says: a customer or a third party waits. */
export const deadlineMs = 4000

/** How long a process uses its copy of the signing key. */
const keyMs = 5000

/** The provider did not answer, or not as the interface requires. The customer can try again. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable'
}

/** The provider refuses to share an account or the data of the customer. It does not say why, and may share it later. */
export class SharingRefused extends Error {
  override readonly name = 'SharingRefused'
  /** 403 if sharing could cause harm, otherwise that of an unknown account or customer. */
  readonly status: number

  constructor(cause: ResponseError) {
    super(cause.message, { cause })
    this.status = cause.status
  }
}

/** What a third party reads if the provider refuses. */
export const refusalText = 'the data provider cannot share data of the customer'

export type Customers = ReturnType<typeof openCustomers>

export interface ProviderClientOptions {
  readonly providerUrl: string
  readonly subdomain: string
  readonly signingKeys: SigningKeyStore
  /** Sends the requests, instead of the global function. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** The time for an attempt, and for all attempts of a question. */
  readonly providerMs?: number | undefined
}

/** A client with the newest signing key, which signs a fresh token for each call. */
export type ProviderClient = () => Promise<Client>

/** The status of a refusal above the traffic thresholds: a later attempt may succeed. */
const tooManyRequests = 429

/** Whether the provider refuses to share an account or all data of the customer, and not only more requests. */
export function isSharingRefused({ isRefusal, status }: ResponseError): boolean {
  return isRefusal && status !== tooManyRequests
}

/** Whether the provider refused because of its traffic thresholds. */
export function isOverThreshold({ cause }: ProviderUnavailable): boolean {
  return cause instanceof ResponseError && cause.isRefusal
}

/**
 * Asks the provider. Undefined if it responds with one of the statuses, which mean that it does not have the data. May
 * throw `ProviderUnavailable` and `SharingRefused`.
 */
export async function askProvider<Result>(
  provider: ProviderClient,
  missing: readonly number[],
  work: (client: Client) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work(await provider())
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    if (error instanceof ResponseError) {
      if (isSharingRefused(error)) throw new SharingRefused(error)
      if (missing.includes(error.status)) return undefined
    }
    throw new ProviderUnavailable(error.message, { cause: error })
  }
}

/** What the consent role asks the provider. All methods may throw `ProviderUnavailable`, and all but the search `SharingRefused`. */
export function openCustomers(provider: ProviderClient, defaultMs = deadlineMs) {
  return {
    /** C1 */
    async search(email: string): Promise<readonly CustomerMatch[]> {
      // The provider may not accept the text as an address.
      const found = await askProvider(provider, [400], (client) =>
        client.searchCustomers({
          params: {},
          body: { email },
          signal: AbortSignal.timeout(defaultMs),
        }),
      ).catch((error: unknown) => {
        // A page that said so would show that the address is known.
        if (error instanceof SharingRefused) return undefined
        throw error
      })
      return readElements<CustomerMatch>(found?.data ?? [], ['phoneNumber'])
    },
    /** C2. `limitMs` is the time for the answer. */
    async listAccounts(
      customerId: string,
      limitMs = defaultMs,
    ): Promise<readonly ShareableAccount[]> {
      const found = await askProvider(provider, [], (client) =>
        client.listShareableAccounts({
          params: { customerId },
          signal: AbortSignal.timeout(limitMs),
        }),
      )
      return readElements<ShareableAccount>(found?.accounts ?? [], ['type', 'displayName'])
    },
    /** C3. Undefined if the customer no longer exists. */
    async read(
      customerId: string,
      signal = AbortSignal.timeout(defaultMs),
    ): Promise<Customer | undefined> {
      return askProvider(provider, [404], (client) =>
        client.getCustomer({ params: { customerId }, signal }),
      )
    },
  }
}

/**
 * The client checks no fields. An element without a name, or without an id that a request can have in its path, is left
 * out, and so is an optional field that is not text.
 */
function readElements<Element extends { readonly id: string; readonly name: string }>(
  elements: unknown,
  optional: readonly Exclude<keyof Element & string, 'id' | 'name'>[],
): readonly Element[] {
  if (!Array.isArray(elements)) throw new ProviderUnavailable('the answer is not a list')
  return elements.flatMap((element: unknown) => {
    if (!isObject(element)) return []
    const { id, name } = element
    if (typeof id !== 'string' || !pathId.test(id) || typeof name !== 'string') return []
    const texts = optional.filter((field) => typeof element[field] === 'string')
    return [{ id, name, ...Object.fromEntries(texts.map((field) => [field, element[field]])) }]
  }) as unknown as readonly Element[]
}

export function openProviderClient(options: ProviderClientOptions): ProviderClient {
  const { providerUrl, subdomain, signingKeys, fetch, providerMs = timeoutMs } = options
  let current: { readonly id: string; readonly client: Client } | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (current && performance.now() - checkedAt < keyMs) return current.client
    const newest = await readNewestKey(signingKeys)
    checkedAt = performance.now()
    if (newest.id !== current?.id) {
      const client = createClient({
        providerUrl,
        subdomain,
        key: toPrivateJwk(newest),
        timeoutMs: providerMs,
        retriesMax,
        ...(fetch && { fetch }),
      })
      current = { id: newest.id, client }
    }
    return current.client
  }
}

export async function readNewestKey(signingKeys: SigningKeyStore): Promise<SigningKey> {
  const key = await findNewestKey(signingKeys)
  if (!key) throw new ProviderUnavailable('no signing key: run holdfast keys add')
  return key
}
