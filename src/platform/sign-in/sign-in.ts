import type { BrowserSessions } from '../../auth/browser-sessions.ts'
import { deriveKey, seal, unseal } from '../../auth/sealing.ts'
import { digest, isEqual } from '../../auth/secrets.ts'
import { openTokenBuckets } from '../../auth/token-bucket.ts'
import type { AddressKind } from '../../contract/index.ts'
import type { ArtifactStore } from '../consent/store.ts'
import type { IdentityProvider, SignInProof } from './identity-provider.ts'
import { SignInError } from './sign-in-error.ts'

/** How long a person may take at the identity provider. */
export const signInSeconds = 600

/** Token buckets of failed sign-ins by address: each of these makes a request to the identity provider. */
const failures = { capacity: 20, refillSeconds: 3, addressesMax: 10_000 }

/** How many requests to the identity provider a process makes at once. */
const completingMax = 32

/** What the cookie of a sign-in contains, encrypted: nothing is stored before the person comes back. */
interface PendingSignIn {
  readonly proof: SignInProof
  readonly returnTo: string
  /** Milliseconds since 1970. */
  readonly expires: number
  /** The token of the session that the new one replaces. */
  readonly replaces?: string | undefined
}

export interface SignInOptions {
  readonly provider: IdentityProvider
  readonly sessions: BrowserSessions
  readonly artifacts: Pick<ArtifactStore, 'add'>
  /** Shared by all processes. Not needed before the first sign-in. */
  readonly readSecret: () => Promise<Buffer>
  /** The scheme, host and port of the platform, which the browser comes back to. */
  readonly origin: string
  /** A digest of the rules that give people their scopes. */
  readonly rules: string
  readonly clock: () => Temporal.Instant
  /** A monotonic clock, in seconds. */
  readonly seconds?: (() => number) | undefined
}

export type SignIn = ReturnType<typeof openSignIn>

/** Where a person comes back to. */
export interface Return {
  /** The parameters of the address. */
  readonly answer: URLSearchParams
  readonly cookie: string | undefined
  readonly address: string
  readonly addressKind: AddressKind
}

/** Sign-ins of people at the identity provider. */
export function openSignIn(options: SignInOptions) {
  const { provider, sessions, artifacts, clock } = options
  let secret: Buffer | undefined
  const readKey = async (): Promise<Buffer> => {
    secret ??= await options.readSecret()
    return deriveKey(secret, 'sign-in')
  }
  const { capacity, refillSeconds, addressesMax } = failures
  const failed = openTokenBuckets(capacity, refillSeconds, addressesMax, options.seconds)
  let completing = 0

  const readPending = async (
    cookie: string | undefined,
    state: string | null,
  ): Promise<PendingSignIn> => {
    const pending = cookie === undefined ? undefined : open(await readKey(), cookie)
    if (!pending) throw new SignInError('expired', 'the browser did not begin a sign-in')
    if (pending.expires <= clock().epochMilliseconds)
      throw new SignInError('expired', 'the sign-in took too long')
    if (!isEqual(state ?? '', pending.proof.state))
      throw new SignInError('expired', 'the state is that of another sign-in')
    return pending
  }
  const complete = async (pending: PendingSignIn, { answer, addressKind }: Return) => {
    const { proof, expires, replaces } = pending
    const now = clock()
    const until = Temporal.Instant.fromEpochMilliseconds(expires)
    const used = { payload: '{}', expires: until }
    if (!(await artifacts.add('ConsoleSignIn', digest(proof.state), used, now)))
      throw new SignInError('expired', 'the sign-in was completed before')
    const person = await provider.complete(answer, proof)
    if (replaces !== undefined) await sessions.end(replaces)
    return sessions.begin({ ...person, secretHash: options.rules, address: addressKind })
  }

  return {
    provider,
    origin: options.origin,

    /** Returns where the browser goes, and the value of a cookie that it brings back. */
    async start(returnTo: string, replaces: string | undefined) {
      const { url, proof } = await provider.start()
      const expires = clock().add({ seconds: signInSeconds }).epochMilliseconds
      const pending: PendingSignIn = { proof, returnTo, expires, replaces }
      return { url: url.href, cookie: seal(await readKey(), JSON.stringify(pending)) }
    },

    /** Returns the token of the new session, and where the browser goes. Throws a `SignInError`. */
    async complete(request: Return) {
      const pending = await readPending(request.cookie, request.answer.get('state'))
      const isLimited = failed.retryAfter(request.address) > 0 || completing >= completingMax
      if (isLimited) throw new SignInError('too_many', 'too many sign-ins failed, or are going on')
      completing += 1
      try {
        const token = await complete(pending, request)
        return { token, returnTo: pending.returnTo }
      } catch (error) {
        failed.take(request.address)
        throw error
      } finally {
        completing -= 1
      }
    },
  }
}

/** Undefined if the cookie is not one that this platform sealed. */
function open(key: Buffer, cookie: string): PendingSignIn | undefined {
  try {
    return JSON.parse(unseal(key, cookie)) as PendingSignIn
  } catch {
    return undefined
  }
}
