import { computed, signal } from '@preact/signals'
import type { Feature, Session, SessionState } from '../contract/index.ts'
import { createSession, deleteSession, getSession } from '../contract/operations/access.ts'
import { permits, type Scope } from '../contract/scopes.ts'

/** `unknown` until the server has responded; `ended` after a session, so that the view and its input stay. */
export type SessionStatus = 'unknown' | 'unreachable' | 'signedOut' | 'signedIn' | 'ended'

export const session = signal<Session | undefined>(undefined)
export const sessionStatus = signal<SessionStatus>('unknown')
export const features = signal<readonly Feature[]>([])

/** Of the data provider. */
export const providerName = signal<string | undefined>(undefined)
export const timeZone = signal('UTC')

/** Of the session, also after it has ended: another client may sign in next. Undefined after a sign-out. */
export const clientId = signal<string | undefined>(undefined)

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
    if (state.session) start(state.session)
    else sessionStatus.value = 'signedOut'
  } catch {
    sessionStatus.value = 'unreachable'
  }
}

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
  if (!response) return 'The server cannot be reached. Check that the platform runs, and try again.'
  if (response.status === 401) return 'The client ID or the secret is wrong.'
  if (response.status === 429) return 'Too many attempts. Wait a minute, and try again.'
  if (!response.ok) return `The server responded with status ${response.status}.`
  start((await response.json()) as Session)
  return undefined
}

/** Returns why it failed. It signs out the session that the browser has now: another tab may have started one. */
export async function signOut(): Promise<string | undefined> {
  try {
    const { session: current } = await readState()
    if (current) {
      const headers = { 'x-csrf-token': current.csrf_token }
      const response = await fetch(deleteSession.path, { method: deleteSession.method, headers })
      if (!response.ok) throw new Error(`status ${response.status}`)
    }
  } catch {
    return 'You are still signed in: the server cannot be reached. Try again.'
  }
  session.value = undefined
  clientId.value = undefined
  sessionStatus.value = 'signedOut'
  return undefined
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

function start(started: Session): void {
  session.value = started
  clientId.value = started.client_id
  sessionStatus.value = 'signedIn'
  signIns.value += 1
}
