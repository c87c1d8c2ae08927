import type { SignOut } from '../contract/index.ts'
import {
  createSession,
  deleteSession,
  getSession,
  startSignIn,
} from '../contract/operations/access.ts'
import { ApiError, findErrorText, read, request } from './api.ts'
import {
  features,
  identityProvider,
  providerName,
  session,
  sessionStatus,
  startSession,
  timeZone,
  userKey,
} from './session.ts'

export async function loadSession(): Promise<void> {
  try {
    const state = await read(getSession, {})
    features.value = state.features
    providerName.value = state.provider_name
    timeZone.value = state.time_zone
    identityProvider.value = state.identity_provider
    if (state.session) startSession(state.session)
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
  try {
    startSession(await read(createSession, { body: credentials ?? {} }))
    return undefined
  } catch (error) {
    const problem = describeProblem(error)
    if (problem.status === 401) return 'The client ID or the secret is wrong.'
    if (problem.status === 429) return 'Too many attempts. Wait a minute, and try again.'
    return problem.text
  }
}

/** Begins a sign-in at the identity provider. `returnTo` is a path of the console. */
export async function beginSignIn(
  returnTo: string,
): Promise<{ readonly url: string } | { readonly problem: string }> {
  try {
    const started = await read(startSignIn, { body: { return_to: returnTo } })
    return { url: started.authorization_url }
  } catch (error) {
    const { status, text } = describeProblem(error)
    if (status !== 502) return { problem: text }
    const host = identityProvider.value?.host ?? 'The identity provider'
    return { problem: `${host} does not respond. Try again in a minute.` }
  }
}

/** Throws what is no error of the API. */
function describeProblem(error: unknown): { readonly status: number; readonly text: string } {
  if (!(error instanceof ApiError)) throw error
  const { status, message, body } = error
  if (status === 0) {
    return { status, text: `${message} Check that the platform runs, and try again.` }
  }
  const detail = findErrorText(body)
  const said = detail === undefined ? '' : `: ${detail}`
  return { status, text: `The server responded with status ${status}${said}.` }
}

/**
 * Signs out the session that the browser has now: another tab may have started one. Returns why it failed, or where a person
 * signs out at the identity provider too.
 */
export async function signOut(): Promise<{ readonly problem?: string; readonly url?: string }> {
  let url: string | undefined
  try {
    const { session: current } = await read(getSession, {})
    if (current) {
      const headers = { 'x-csrf-token': current.csrf_token }
      const { method, path } = deleteSession
      const { body } = await request<SignOut>(method, path, { headers })
      url = body.sign_out_url
    }
  } catch {
    return { problem: 'You are still signed in: the server cannot be reached. Try again.' }
  }
  session.value = undefined
  userKey.value = undefined
  sessionStatus.value = 'signedOut'
  return url === undefined ? {} : { url }
}
