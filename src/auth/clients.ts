import { randomBytes } from 'node:crypto'
import type { ApiClient, ClientStore, IssuedToken } from '../catalogue/clients.ts'
import type { Author } from '../catalogue/store.ts'
import { ContractError, clientTokenSeconds, type Scope } from '../contract/index.ts'
import { openBudgets } from './budgets.ts'
import { digestOf, hashSecret, isSecret, makeSecret } from './secrets.ts'

const tokenBytes = 32
const clientIdLengthMax = 256
const clientRefillSeconds = 6

/** How many of those who were wrong are remembered. */
const callersMax = 10_000

/** How many secrets are checked at a time: each takes a core and 32 MiB for a while. */
const checksMax = 2
const checksWaitingMax = 64

export interface Credentials {
  readonly clientId: string
  readonly secret: string
  /** Who asks, as far as the network tells. */
  readonly address: string
}

export interface Access {
  /** Undefined where the id or the secret is wrong; the two cannot be told apart. */
  authenticate(credentials: Credentials): Promise<ApiClient | undefined>
  issue(client: Author, scopes: readonly Scope[]): Promise<string>
  /** Undefined where there is no such token, or no longer. */
  judge(token: string): Promise<IssuedToken | undefined>
}

/** API clients of the catalogue: their secrets, and the short-lived tokens they get for them. */
export function openAccess(store: ClientStore, clock: () => Temporal.Instant): Access {
  // What is right costs nothing; only to be wrong does. An address may have many clients behind it, so it may be
  // wrong more often than one of them.
  const byAddress = openBudgets(100, 1, callersMax)
  const byClient = openBudgets(10, clientRefillSeconds, callersMax)
  const takeTurn = turns(checksMax, checksWaitingMax)
  // Nobody's: what an unknown client is compared with costs as much as a known one's.
  const nobody = hashSecret(makeSecret())

  return {
    async authenticate({ clientId, secret, address }) {
      const caller = `${address} ${clientId.slice(0, clientIdLengthMax)}`
      return takeTurn(async () => {
        if (byAddress.wait(address) > 0 || byClient.wait(caller) > 0) {
          throw new ContractError('too_many_requests', undefined, {
            retryAfterSeconds: clientRefillSeconds,
          })
        }
        const client = await store.find(clientId)
        if (await isSecret(secret, client?.secretHash ?? (await nobody))) return client
        byAddress.spend(address)
        byClient.spend(caller)
        return undefined
      })
    },

    async issue({ id, name }, scopes) {
      const token = randomBytes(tokenBytes).toString('base64url')
      const now = clock()
      const expires = now.add({ seconds: clientTokenSeconds })
      await store.addToken(digestOf(token), { client: { id, name }, scopes, expires }, now)
      return token
    },

    async judge(token) {
      const issued = await store.findToken(digestOf(token))
      return issued && Temporal.Instant.compare(issued.expires, clock()) > 0 ? issued : undefined
    },
  }
}

/** Lets so many work at a time, so many wait, and turns the rest away. */
function turns(workingMax: number, waitingMax: number) {
  const waiting: (() => void)[] = []
  let working = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (working >= workingMax) {
      if (waiting.length >= waitingMax) throw new ContractError('unavailable')
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      working += 1
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else working -= 1
    }
  }
}
