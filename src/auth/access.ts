import { randomBytes } from 'node:crypto'
import { ContractError, clientTokenSeconds, type Scope } from '../contract/index.ts'
import type { ClientStore, IssuedToken, RegisteredClient } from './client-store.ts'
import { digest, hashSecret, isCurrentHash, isSecret, makeSecret } from './secrets.ts'
import { openTokenBuckets } from './token-bucket.ts'

const tokenBytes = 32

/** How many failures are answered with 401 at once, and how long until one more is. */
const clientFailures = { most: 10, refillSeconds: 6 }
/** Many clients may share an address, so it may fail more often than one of them. */
const addressFailures = { most: 100, refillSeconds: 1 }

/** How many clients, and how many addresses, with failures are remembered. */
const failingMax = 10_000

export interface Credentials {
  readonly clientId: string
  readonly secret: string
  /** The caller's address, behind trusted proxies. */
  readonly address: string
}

/** `client` is undefined where the id or the secret is wrong: the answer must not say which. */
export interface Authentication {
  readonly client?: RegisteredClient
  /** The id of a client whose stored hash is of an earlier version: its secret must be rotated. For the log. */
  readonly outdatedClientId?: string
}

export interface Access {
  /** Throws `too_many_requests` where wrong credentials were sent too often. The right ones are never refused. */
  authenticate(credentials: Credentials): Promise<Authentication>
  issue(client: TokenOwner, scopes: readonly Scope[]): Promise<string>
  /** Undefined for an unknown, expired or revoked token. */
  verify(token: string): Promise<IssuedToken | undefined>
}

interface FailureLimits {
  /** A steady clock, in seconds. */
  readonly seconds?: (() => number) | undefined
  /** How many processes serve. They know nothing of each other's failures, so each has its part of the limits. */
  readonly workers?: number | undefined
}

/** A token is valid as long as its client has the secret that it was issued for. */
type TokenOwner = Pick<RegisteredClient, 'id' | 'name' | 'secretHash'>

/** API clients of the catalogue: their secrets, and the short-lived tokens that are issued for them. */
export function openAccess(
  store: ClientStore,
  clock: () => Temporal.Instant,
  limits: FailureLimits = {},
): Access {
  const refuseFailures = failureLimit(limits)
  // An unknown client is compared with this hash, so that it takes the same path as a known one.
  const hashOfNobody = hashSecret(makeSecret())

  return {
    async authenticate({ clientId, secret, address }) {
      const client = await store.find(clientId)
      const isCurrent = client !== undefined && isCurrentHash(client.secretHash)
      // Before the limit, so that nobody's failures keep a client with the right secret out: a digest is cheap.
      const isRight = isSecret(secret, isCurrent ? client.secretHash : hashOfNobody)
      if (isRight && isCurrent) return { client }
      refuseFailures(clientId, address)
      return client && !isCurrent ? { outdatedClientId: client.id } : {}
    },

    async issue({ id, name, secretHash }, scopes) {
      const token = randomBytes(tokenBytes).toString('base64url')
      const now = clock()
      const expires = now.add({ seconds: clientTokenSeconds })
      const issued = { client: { id, name }, scopes, expires }
      await store.addToken(digest(token), issued, secretHash, now)
      return token
    },

    async verify(token) {
      const issued = await store.findToken(digest(token))
      return issued && Temporal.Instant.compare(issued.expires, clock()) > 0 ? issued : undefined
    },
  }
}

/** Counts a failure, and throws where there were too many of that client id or from that address. */
function failureLimit({ seconds, workers = 1 }: FailureLimits) {
  const open = ({ most, refillSeconds }: typeof clientFailures) =>
    openTokenBuckets(Math.max(1, most / workers), refillSeconds * workers, failingMax, seconds)
  const byClient = open(clientFailures)
  const byAddress = open(addressFailures)
  return (clientId: string, address: string): void => {
    // An id is the caller's text, of any length.
    const client = digest(clientId)
    const wait = Math.max(byClient.retryAfter(client), byAddress.retryAfter(address))
    if (wait > 0) {
      const retryAfterSeconds = Math.ceil(wait)
      throw new ContractError('too_many_requests', undefined, { retryAfterSeconds })
    }
    byClient.take(client)
    byAddress.take(address)
  }
}
