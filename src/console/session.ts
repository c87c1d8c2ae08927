import { computed, signal } from '@preact/signals'
import type { Actor, Feature, IdentityProviderState, Session } from '../contract/index.ts'
import { permits, type Scope } from '../contract/scopes.ts'

/** `unknown` until the server has responded; `ended` after a session, so that the view and its input stay. */
type SessionStatus = 'unknown' | 'unreachable' | 'signedOut' | 'signedIn' | 'ended'

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

/** The server does not accept the session any more. */
export function endSession(): void {
  session.value = undefined
  sessionStatus.value = 'ended'
}

/** Identifies a user among people and API clients. */
export function toUserKey({ id, issuer = '' }: Actor): string {
  return `${issuer} ${id}`
}

export function startSession(started: Session): void {
  session.value = started
  userKey.value = toUserKey(started.user)
  sessionStatus.value = 'signedIn'
  signIns.value += 1
}
