import { randomBytes } from 'node:crypto'
import { isId } from '../contract/ids.ts'
import { clientTokenSeconds, type Scope, tooManyRequests } from '../contract/index.ts'
import type { ClientStore, IssuedToken, RegisteredClient } from './client-store.ts'
import { digest, hashSecret, isSecret, makeSecret } from './secrets.ts'
import { openTokenBuckets } from './token-bucket.ts'

const tokenBytes = 32

/** Token buckets of failed attempts: beyond them the response is 429 instead of 401. */
const clientFailures = { capacity: 10, refillSeconds: 6 }
/** Higher, since many clients may share an address. */
const addressFailures = { capacity: 100, refillSeconds: 1 }

/** How many clients, and how many addresses, have a bucket. */
const failingMax = 10_000

export interface Credentials {
  readonly clientId: string
  readonly secret: string
  /** The client's address, as reported by trusted proxies. */
  readonly address: string
}

export interface Access {
  /**
   * Undefined if the id or the secret is wrong: the response must not say which. Throws `too_many_requests` after too
   * many failures. Correct credentials are always accepted.
   */
  authenticate(credentials: Credentials): Promise<RegisteredClient | undefined>
  /** A registered client by its id, without its secret. */
  find(clientId: string): Promise<RegisteredClient | undefined>
  issue(client: TokenOwner, scopes: readonly Scope[], seconds?: number): Promise<string>
  revoke(token: string): Promise<void>
  /** Undefined for an unknown, expired or revoked token. */
  verify(token: string): Promise<IssuedToken | undefined>
}

interface FailureLimits {
  /** A monotonic clock, in seconds. */
  readonly seconds?: (() => number) | undefined
  /** The number of processes. They do not share their counts, so each enforces its share of the limits. */
  readonly workers?: number | undefined
}

/** A token is revoked when its client's secret is rotated. */
type TokenOwner = Pick<RegisteredClient, 'id' | 'name' | 'secretHash'>

/** Authenticates API clients of the catalogue, and issues and verifies their access tokens. */
export function openAccess(
  store: ClientStore,
  clock: () => Temporal.Instant,
  limits: FailureLimits = {},
): Access {
  const recordFailure = openFailureLimit(limits)
  // Compared if the client is unknown, so that the response time does not reveal whether it exists.
  const decoyHash = hashSecret(makeSecret())

  return {
    async authenticate({ clientId, secret, address }) {
      const client = isId(clientId) ? await store.find(clientId) : undefined
      // Checked before the limit, so that other clients' failures never lock out a client with the correct secret.
      const isCorrect = isSecret(secret, client?.secretHash ?? decoyHash)
      if (client && isCorrect) return client
      recordFailure(clientId, address)
      return undefined
    },

    find: (clientId) => store.find(clientId),

    async issue({ id, name, secretHash }, scopes, seconds = clientTokenSeconds) {
      const token = randomBytes(tokenBytes).toString('base64url')
      const now = clock()
      const expires = now.add({ seconds })
      const issued = { client: { id, name }, scopes, expires }
      await store.addToken(digest(token), issued, secretHash, now)
      return token
    },

    revoke: (token) => store.removeToken(digest(token)),

    async verify(token) {
      const issued = await store.findToken(digest(token))
      return issued && Temporal.Instant.compare(issued.expires, clock()) > 0 ? issued : undefined
    },
  }
}

/** The returned function counts a failure. It throws after too many for the client id or the address. */
function openFailureLimit({ seconds, workers = 1 }: FailureLimits) {
  const open = ({ capacity, refillSeconds }: typeof clientFailures) =>
    openTokenBuckets(Math.max(1, capacity / workers), refillSeconds * workers, failingMax, seconds)
  const byClient = open(clientFailures)
  const byAddress = open(addressFailures)
  return (clientId: string, address: string): void => {
    // The client chooses the id, so it may be long.
    const client = digest(clientId)
    const ofClient = byClient.retryAfter(client)
    const waitSeconds = Math.max(ofClient, byAddress.retryAfter(address))
    if (waitSeconds > 0) {
      const limit =
        waitSeconds === ofClient ? 'wrong_secrets_of_client' : 'wrong_secrets_by_address'
      throw tooManyRequests(limit, { retryAfterSeconds: Math.ceil(waitSeconds) })
    }
    byClient.take(client)
    byAddress.take(address)
  }
}
