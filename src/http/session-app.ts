import type { FastifyRequest } from 'fastify'
import type { Access } from '../auth/access.ts'
import type { IssuedToken, RegisteredClient } from '../auth/client-store.ts'
import { digest, isEqual } from '../auth/secrets.ts'
import {
  accessOperations,
  ContractError,
  type Feature,
  type Input,
  permits,
  type Session,
  type SessionRequest,
  type SessionState,
  sessionSeconds,
} from '../contract/index.ts'
import type { HttpApp } from './app.ts'
import { resolveCallerAddress, type TrustedProxies } from './caller-address.ts'
import { formatCookie, readCookie } from './cookies.ts'
import { isLoopback } from './loopback.ts'
import { mountOperation } from './mount-operation.ts'

const cookieName = 'holdfast_session'
const csrfHeader = 'x-csrf-token'
/** Credentials are short, and the sender is not authenticated yet. */
const bodyBytesMax = 16 * 1024

export interface SessionOptions {
  readonly access: Access
  readonly features?: readonly Feature[] | undefined
  /** The client of a session without credentials, in the demo only. */
  readonly demoClientId?: string | undefined
  /** Of synthetic customers, in the demo only. */
  readonly exampleEmails?: readonly string[] | undefined
  /** Of the data provider. */
  readonly providerName?: string | undefined
  readonly timeZone?: string | undefined
  readonly trustedProxies?: TrustedProxies | undefined
}

/** Sessions of browsers. Their cookie has a token of an API client, and every change needs a CSRF token too. */
export function mountSessions(app: HttpApp, options: SessionOptions): void {
  const { access, features = [], exampleEmails, providerName, timeZone = 'UTC' } = options
  acceptSessionCookies(app)
  const { createSession, getSession, deleteSession } = accessOperations
  const route = { bodyLimit: bodyBytesMax }
  const signInRoute = {
    ...route,
    async preValidation(request: FastifyRequest) {
      // Keeps another site from signing a browser in as a client of its own. A browser adds the header itself.
      const site = request.headers['sec-fetch-site'] ?? 'same-origin'
      if (site !== 'same-origin') throw new ContractError('cross_site_request')
      request.body ??= {}
    },
  }
  const create = async ({ body }: Input<typeof createSession>, request: FastifyRequest) => {
    const client = await signIn(body, request, options)
    const token = await access.issue(client, client.scopes, sessionSeconds)
    const issued = await access.verify(token)
    if (!issued) throw new ContractError('unauthorized')
    return {
      headers: { 'set-cookie': formatSession(request, token, sessionSeconds) },
      body: JSON.stringify(describeSession(token, issued, exampleEmails)),
    }
  }
  mountOperation(app, createSession, access, create, signInRoute)
  mountOperation(app, getSession, access, async (_input, request) => {
    const token = readSessionToken(request)
    const issued = token === undefined ? undefined : await access.verify(token)
    const session = token !== undefined && issued && describeSession(token, issued, exampleEmails)
    const state: SessionState = {
      features: [...features],
      time_zone: timeZone,
      ...(providerName !== undefined && { provider_name: providerName }),
      ...(session && { session }),
    }
    return { body: JSON.stringify(state) }
  })
  const remove = async (_input: unknown, request: FastifyRequest) => {
    const token = readSessionToken(request)
    if (token !== undefined) {
      requireCsrfToken(request, token)
      await access.revoke(token)
    }
    return { headers: { 'set-cookie': formatSession(request, '', 0) } }
  }
  mountOperation(app, deleteSession, access, remove, route)
}

/** An operation authenticates the token of the cookie as if the request had sent it itself. */
function acceptSessionCookies(app: HttpApp): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request
    if (headers.cookie === undefined || headers.authorization !== undefined) return done()
    if (request.routeOptions.config?.operation?.protection !== 'clientToken') return done()
    const token = readSessionToken(request)
    if (token === undefined) return done()
    if (request.method !== 'GET') requireCsrfToken(request, token)
    headers.authorization = `Bearer ${token}`
    done()
  })
}

function readSessionToken({ headers }: FastifyRequest): string | undefined {
  const token = readCookie(headers.cookie, cookieName)
  return token !== undefined && /^[\w-]{1,128}$/.test(token) ? token : undefined
}

/** Another site can make a browser send the cookie, but cannot read the token that belongs to it. */
function requireCsrfToken({ headers }: FastifyRequest, token: string): void {
  if (isEqual(String(headers[csrfHeader] ?? ''), csrfToken(token))) return
  throw new ContractError('cross_site_request')
}

function csrfToken(token: string): string {
  return digest(`csrf ${token}`)
}

async function signIn(
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
  { client, scopes, expires }: IssuedToken,
  exampleEmails: readonly string[] = [],
): Session {
  const hasExamples = exampleEmails.length > 0 && permits(scopes, 'data.read')
  return {
    client_id: client.id,
    client_name: client.name,
    scopes: [...scopes],
    expires: expires.toString(),
    csrf_token: csrfToken(token),
    ...(hasExamples && { example_emails: [...exampleEmails] }),
  }
}

/** The origin says whether the browser uses TLS, also behind a proxy that terminates it. */
function formatSession({ headers, raw }: FastifyRequest, value: string, seconds: number): string {
  const isSecure = 'encrypted' in raw.socket || headers.origin?.startsWith('https:') === true
  return formatCookie(cookieName, value, { path: '/', seconds, isSecure, sameSite: 'Strict' })
}
