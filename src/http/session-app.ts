import type { FastifyRequest } from 'fastify'
import type { StoredSession } from '../auth/browser-session-store.ts'
import type { BrowserSessions } from '../auth/browser-sessions.ts'
import type { RegisteredClient } from '../auth/client-store.ts'
import {
  type Actor,
  accessOperations,
  ContractError,
  type Input,
  type ListedSession,
  listedSessionsMax,
  permits,
  type Session,
  type SessionRequest,
  type SessionState,
  sessionSeconds,
} from '../contract/index.ts'
import type { SignIn } from '../platform/sign-in/sign-in.ts'
import { classifyAddress } from './address-kind.ts'
import type { HttpApp } from './app.ts'
import { resolveCallerAddress } from './caller-address.ts'
import { isLoopback } from './loopback.ts'
import { mountOperation } from './mount-operation.ts'
import {
  formatSessionCookie,
  makeCsrfToken,
  readSessionCookie,
  requireCsrfToken,
  requireSameOrigin,
} from './session-cookies.ts'
import type { SessionOptions } from './session-options.ts'
import { mountSignIn } from './sign-in-app.ts'

/** Credentials are short, and the sender is not authenticated yet. */
const bodyBytesMax = 16 * 1024

/** Sent by a console that is open but not in use: its requests do not keep the session from ending. */
const unattendedHeader = 'x-unattended'

/** Sessions of browsers, of people and of API clients. Every change needs a CSRF token too. */
export function mountSessions(app: HttpApp, options: SessionOptions): void {
  const { access, sessions, signIn, features = [], providerName, timeZone = 'UTC' } = options
  acceptSessionCookies(app, sessions)
  const { createSession, getSession, deleteSession } = accessOperations
  const route = { bodyLimit: bodyBytesMax }
  const signInRoute = { ...route, preValidation: requireSameOrigin }

  const create = async ({ body }: Input<typeof createSession>, request: FastifyRequest) => {
    const { id, name, scopes, secretHash } = await authenticate(body, request, options)
    const earlier = readSessionCookie(request, 'holdfast_session')
    const address = classifyAddress(resolveCallerAddress(request.raw, options.trustedProxies))
    const token = await sessions.begin({ user: { id, name }, scopes, secretHash, address })
    if (earlier !== undefined) await sessions.end(earlier)
    const session = await sessions.find(token)
    if (!session) throw new ContractError('unauthorized')
    const life = { seconds: sessionSeconds }
    return {
      headers: { 'set-cookie': formatSessionCookie(request, 'holdfast_session', token, life) },
      body: JSON.stringify(describeSession(token, session, options)),
    }
  }
  mountOperation(app, createSession, access, create, signInRoute)
  mountOperation(app, getSession, access, async (_input, request) => {
    const token = readSessionCookie(request, 'holdfast_session')
    const session = token === undefined ? undefined : await sessions.find(token)
    const state: SessionState = {
      features: [...features],
      time_zone: timeZone,
      ...(providerName !== undefined && { provider_name: providerName }),
      ...(signIn && { identity_provider: describeProvider(signIn) }),
      ...(token !== undefined && session && { session: describeSession(token, session, options) }),
    }
    return { body: JSON.stringify(state) }
  })
  const remove = async (_input: unknown, request: FastifyRequest) => {
    const token = readSessionCookie(request, 'holdfast_session')
    if (token !== undefined) requireCsrfToken(request, token)
    const idToken = token === undefined ? undefined : await sessions.end(token)
    const url = idToken === undefined ? undefined : await signIn?.provider.findSignOutUrl(idToken)
    return {
      headers: {
        'set-cookie': formatSessionCookie(request, 'holdfast_session', '', { seconds: 0 }),
      },
      body: JSON.stringify({ ...(url !== undefined && { sign_out_url: url }) }),
    }
  }
  mountOperation(app, deleteSession, access, remove, route)
  mountSignIn(app, options)
  mountSessionList(app, options)
}

/** An operation for API clients accepts the cookie instead of a token. */
function acceptSessionCookies(app: HttpApp, sessions: BrowserSessions): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request
    const { operation } = request.routeOptions.config ?? {}
    // No program has a use for the operations of sessions.
    if (operation?.path.startsWith(accessOperations.getSession.path)) request.tool = 'console'
    if (headers.cookie === undefined || headers.authorization !== undefined) return done()
    if (operation?.protection !== 'clientToken') return done()
    const token = readSessionCookie(request, 'holdfast_session')
    if (token === undefined) return done()
    request.tool = 'console'
    if (request.method !== 'GET') requireCsrfToken(request, token)
    // An open stream of metrics verifies its session again and again, which is no use of it.
    let isAttended = headers[unattendedHeader] === undefined
    request.verifySession = async () => {
      const session = await sessions.find(token, isAttended)
      isAttended = false
      return session && { ...session, client: session.user }
    }
    done()
  })
}

/** The sessions that a person may see and end. They are listed for the browser alone: a program has none. */
function mountSessionList(app: HttpApp, { access, sessions }: SessionOptions): void {
  const { listSessions, endSession } = accessOperations
  const requireSession = async (request: FastifyRequest) => {
    const token = readSessionCookie(request, 'holdfast_session')
    const session = token === undefined ? undefined : await sessions.find(token, true)
    if (token === undefined || !session) throw new ContractError('unauthorized')
    return { token, session }
  }
  mountOperation(app, listSessions, access, async (_input, request) => {
    const { session } = await requireSession(request)
    const owner = permits(session.scopes, 'operations.read') ? undefined : session.user
    const { items, total } = await sessions.list(owner, listedSessionsMax)
    const data = items.map((each) => describeListed(each, session.id))
    return { body: JSON.stringify({ data, total }) }
  })
  mountOperation(app, endSession, access, async ({ params }, request) => {
    const { token, session } = await requireSession(request)
    requireCsrfToken(request, token)
    const found = await sessions.findById(params.sessionId)
    const isOwn = found !== undefined && isSameUser(found.user, session.user)
    if (!isOwn && !permits(session.scopes, 'operations.write'))
      throw new ContractError(
        permits(session.scopes, 'operations.read') ? 'insufficient_scope' : 'session_not_found',
      )
    if (!(await sessions.endById(params.sessionId))) throw new ContractError('session_not_found')
    return {}
  })
}

function isSameUser(one: Actor, other: Actor): boolean {
  return one.id === other.id && one.issuer === other.issuer
}

async function authenticate(
  { client_id: clientId, client_secret: secret }: SessionRequest,
  request: FastifyRequest,
  { access, demoClientId, trustedProxies }: SessionOptions,
): Promise<RegisteredClient> {
  if (clientId === undefined && secret === undefined && demoClientId !== undefined) {
    // A site whose name an attacker made resolve to this machine is not the demo.
    const isLocal = isLoopback(request.hostname)
    const client = isLocal ? await access.find(demoClientId) : undefined
    if (client) return client
    throw new ContractError('unauthorized')
  }
  if (clientId === undefined || secret === undefined) {
    const missing = clientId === undefined ? 'client_id' : 'client_secret'
    throw new ContractError('invalid_request', `${missing} is required`)
  }
  const address = resolveCallerAddress(request.raw, trustedProxies)
  const client = await access.authenticate({ clientId, secret, address })
  // Without a Basic challenge, for which a browser would open a dialog of its own.
  if (!client) throw new ContractError('unauthorized')
  return client
}

function describeSession(
  token: string,
  { id, user, scopes, ends }: StoredSession,
  { exampleEmails = [] }: SessionOptions,
): Session {
  const hasExamples = exampleEmails.length > 0 && permits(scopes, 'data.read')
  return {
    session_id: id,
    user,
    scopes: [...scopes],
    expires: ends.toString(),
    csrf_token: makeCsrfToken(token),
    ...(hasExamples && { example_emails: [...exampleEmails] }),
  }
}

function describeListed(
  { id, user, started, used, ends, address }: StoredSession,
  ownId: string,
): ListedSession {
  return {
    session_id: id,
    user,
    started: started.toString(),
    used: used.toString(),
    expires: ends.toString(),
    address,
    is_own: id === ownId,
  }
}

function describeProvider({ provider }: SignIn) {
  const { host, claim } = provider
  return { host, claim, is_reachable: provider.isReachable() }
}
