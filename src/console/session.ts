import { computed, signal } from '@preact/signals'
import type {
  Actor,
  Feature,
  IdentityProviderState,
  Session,
  SessionState,
  SignInStart,
  SignOut,
} from '../contract/index.ts'
import {
  createSession,
  deleteSession,
  getSession,
  startSignIn,
} from '../contract/operations/access.ts'
import { parseJson } from '../contract/parse-json.ts'
import { permits, type Scope } from '../contract/scopes.ts'

/** `unknown` until the server has responded; `ended` after a session, so that the view and its input stay. */
export type SessionStatus = 'unknown' | 'unreachable' | 'signedOut' | 'signedIn' | 'ended'

export const session = signal<Session | undefined>(undefined)
export const sessionStatus = signal<SessionStatus>('unknown')
export const features = signal<readonly Feature[]>([])

/** Of the data provider. */
export const providerName = signal<string | undefined>(undefined)
export const timeZone = signal('UTC')

/** Where people sign in, if they can. */
export const identityProvider = signal<IdentityProviderState | undefined>(undefined)

/** Names the user of the session, also after it has ended: another one may sign in next. Undefined after a sign-out. */
export const userKey = signal<string | undefined>(undefined)

/** Changes with every sign-in, so that views read their data again. */
export const signIns = signal(0)

/** Customers of the demo to try. */
export const exampleEmails = computed(() => session.value?.example_emails ?? [])

export const isDemo = computed(() => features.value.includes('demo'))

export function hasScope(scope: Scope): boolean {
  return permits(session.value?.scopes ?? [], scope)
}

async function readState(): Promise<SessionState> {
  const response = await fetch(getSession.path)
  if (!response.ok) throw new Error(`status ${response.status}`)
  return (await response.json()) as SessionState
}

export async function loadSession(): Promise<void> {
  try {
    const state = await readState()
    features.value = state.features
    providerName.value = state.provider_name
    timeZone.value = state.time_zone
    identityProvider.value = state.identity_provider
    if (state.session) start(state.session)
    else sessionStatus.value = 'signedOut'
  } catch {
    sessionStatus.value = 'unreachable'
  }
}

const unreachable = 'The server cannot be reached. Check that the platform runs, and try again.'

/** Returns why it failed. Without credentials, it signs in to the demo. */
export async function signIn(credentials?: {
  readonly client_id: string
  readonly client_secret: string
}): Promise<string | undefined> {
  const response = await fetch(createSession.path, {
    method: createSession.method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials ?? {}),
  }).catch(() => undefined)
  if (!response) return unreachable
  if (response.status === 401) return 'The client ID or the secret is wrong.'
  if (response.status === 429) return 'Too many attempts. Wait a minute, and try again.'
  if (!response.ok) return describeFailure(response)
  start((await response.json()) as Session)
  return undefined
}

/** Begins a sign-in at the identity provider. `returnTo` is a path of the console. */
export async function beginSignIn(
  returnTo: string,
): Promise<{ readonly url: string } | { readonly problem: string }> {
  const response = await fetch(startSignIn.path, {
    method: startSignIn.method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ return_to: returnTo }),
  }).catch(() => undefined)
  if (!response) return { problem: unreachable }
  if (response.status === 502) {
    const host = identityProvider.value?.host ?? 'The identity provider'
    return { problem: `${host} does not respond. Try again in a minute.` }
  }
  if (!response.ok) return { problem: await describeFailure(response) }
  return { url: ((await response.json()) as SignInStart).authorization_url }
}

async function describeFailure(response: Response): Promise<string> {
  const body = parseJson(await response.text().catch(() => ''))
  const isObject = typeof body === 'object' && body !== null
  const text = isObject && 'error' in body ? `: ${body.error}` : ''
  return `The server responded with status ${response.status}${text}.`
}

/**
 * Signs out the session that the browser has now: another tab may have started one. Returns why it failed, or where a person
 * signs out at the identity provider too.
 */
export async function signOut(): Promise<{ readonly problem?: string; readonly url?: string }> {
  let url: string | undefined
  try {
    const { session: current } = await readState()
    if (current) {
      const headers = { 'x-csrf-token': current.csrf_token }
      const response = await fetch(deleteSession.path, { method: deleteSession.method, headers })
      if (!response.ok) throw new Error(`status ${response.status}`)
      url = ((await response.json()) as SignOut).sign_out_url
    }
  } catch {
    return { problem: 'You are still signed in: the server cannot be reached. Try again.' }
  }
  session.value = undefined
  userKey.value = undefined
  sessionStatus.value = 'signedOut'
  return url === undefined ? {} : { url }
}

/** Ends the session of this tab if another tab has signed out, or has signed in again. */
export async function compareSession(): Promise<void> {
  const state = await readState().catch(() => undefined)
  if (state && state.session?.csrf_token !== session.value?.csrf_token) endSession()
}

/** The server does not accept the session any more. */
export function endSession(): void {
  session.value = undefined
  sessionStatus.value = 'ended'
}

/** Identifies a user among people and API clients. */
export function toUserKey({ id, issuer = '' }: Actor): string {
  return `${issuer} ${id}`
}

function start(started: Session): void {
  session.value = started
  userKey.value = toUserKey(started.user)
  sessionStatus.value = 'signedIn'
  signIns.value += 1
}
