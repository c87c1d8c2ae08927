import { randomBytes, randomUUID } from 'node:crypto'
import {
  type Actor,
  type AddressKind,
  type Scope,
  sessionIdleSeconds,
  sessionSeconds,
  sessionsPerUserMax,
} from '../contract/index.ts'
import type { BrowserSessionStore, StoredSession } from './browser-session-store.ts'
import { deriveKey, seal, unseal } from './sealing.ts'
import { digest } from './secrets.ts'

const tokenBytes = 32

/** A use is stored at most this often. */
const noteSeconds = 60

/** A longer ID token is not kept: the identity provider then asks before the person is signed out. */
const idTokenLengthMax = 8192

interface BeginningSession {
  readonly user: Actor
  readonly scopes: readonly Scope[]
  readonly address: AddressKind
  readonly secretHash: string
  readonly idToken?: string | undefined
}

export type BrowserSessions = ReturnType<typeof openBrowserSessions>

interface SessionOptions {
  readonly clock: () => Temporal.Instant
  /** A digest of the rules that give people their scopes: a session that began with other rules is not valid. */
  readonly rules?: string | undefined
  readonly onError?: ((error: Error) => void) | undefined
}

/** Sessions of browsers. A browser has a random token in a cookie; the database has its digest. */
export function openBrowserSessions(
  store: BrowserSessionStore,
  { clock, rules = '', onError }: SessionOptions,
) {
  /** The uses that are being stored. No request waits for them: a load may lock the database. */
  const noting = new Map<string, Promise<void>>()
  const noteUse = (key: string, { used, ends }: StoredSession, now: Temporal.Instant): void => {
    if (noting.has(key) || now.since(used).total('seconds') < noteSeconds) return
    const noted = store
      .noteUse(key, now, earlier(now.add({ seconds: sessionIdleSeconds }), ends))
      .catch((error: Error) => onError?.(error))
      .finally(() => noting.delete(key))
    noting.set(key, noted)
  }
  const now = () => ({ now: clock(), rules })

  return {
    /** Returns the token of the cookie. */
    async begin({ idToken, ...session }: BeginningSession): Promise<string> {
      const token = randomBytes(tokenBytes).toString('base64url')
      const started = clock()
      const isShort = idToken !== undefined && idToken.length <= idTokenLengthMax
      const stored = {
        ...session,
        id: randomUUID(),
        started,
        used: started,
        expires: started.add({ seconds: sessionIdleSeconds }),
        ends: started.add({ seconds: sessionSeconds }),
        idToken: isShort ? seal(idTokenKey(token), idToken) : undefined,
      }
      await store.add(digest(token), stored, sessionsPerUserMax)
      return token
    },

    /** Undefined for an unknown token, and for one of a session that has ended. An `isAttended` request keeps it from ending. */
    async find(token: string, isAttended = false): Promise<StoredSession | undefined> {
      const validity = now()
      const key = digest(token)
      const found = await store.find(key, validity)
      if (found && isAttended) noteUse(key, found, validity.now)
      return found
    },

    /** Ends the session of a cookie. Returns the ID token of the person, if it is known. */
    async end(token: string): Promise<string | undefined> {
      const sealed = await store.remove(digest(token))
      return sealed === undefined ? undefined : unseal(idTokenKey(token), sealed)
    },

    list: (owner: Actor | undefined, limit: number) => store.list(owner, limit, now()),
    findById: (id: string) => store.findById(id, now()),
    endById: (id: string) => store.removeById(id),

    /** Resolves when every use is stored. */
    async close(): Promise<void> {
      await Promise.all(noting.values())
    },
  }
}

/** Only the browser has the token: a reader of the database cannot read the ID token, which contains personal data. */
function idTokenKey(token: string): Buffer {
  return deriveKey(token, 'ID token')
}

function earlier(first: Temporal.Instant, second: Temporal.Instant): Temporal.Instant {
  return Temporal.Instant.compare(first, second) < 0 ? first : second
}
