import type { FastifyRequest } from 'fastify'
import { digest, isEqual } from '../auth/secrets.ts'
import { ContractError } from '../contract/index.ts'
import { formatCookie, readCookie } from './cookies.ts'
import { isLoopback } from './loopback.ts'

/** Over TLS, a browser accepts a cookie with this prefix from this host alone, and not from another one of the domain. */
const hostPrefix = '__Host-'

const csrfHeader = 'x-csrf-token'

type CookieName = 'holdfast_session' | 'holdfast_sign_in'

interface CookieLife {
  readonly seconds: number
  readonly sameSite?: 'Lax' | 'Strict'
  /** Whether the browser uses TLS; known from the request by default. */
  readonly isSecure?: boolean
}

export function formatSessionCookie(
  request: FastifyRequest,
  name: CookieName,
  value: string,
  { seconds, sameSite = 'Strict', isSecure = usesTls(request) }: CookieLife,
): string {
  const options = { path: '/', seconds, isSecure, sameSite }
  return formatCookie(isSecure ? hostPrefix + name : name, value, options)
}

/** Undefined unless the value has the form of a token or of sealed text. */
export function readSessionCookie(request: FastifyRequest, name: CookieName): string | undefined {
  const { cookie } = request.headers
  const value =
    readCookie(cookie, hostPrefix + name) ??
    (usesTls(request) ? undefined : readCookie(cookie, name))
  return value !== undefined && /^[\w-]{1,4096}$/.test(value) ? value : undefined
}

/** Also behind a proxy that terminates TLS. A browser sends the second header over TLS, and to this machine. */
function usesTls({ headers, raw, hostname }: FastifyRequest): boolean {
  if ('encrypted' in raw.socket || headers.origin?.startsWith('https:') === true) return true
  return headers['sec-fetch-site'] !== undefined && !isLoopback(hostname)
}

/** Another site can make a browser send the cookie, but cannot read the token that belongs to it. */
export function requireCsrfToken({ headers }: FastifyRequest, token: string): void {
  if (isEqual(String(headers[csrfHeader] ?? ''), makeCsrfToken(token))) return
  throw new ContractError('cross_site_request')
}

export function makeCsrfToken(token: string): string {
  return digest(`csrf ${token}`)
}

/** Keeps another site from beginning a session in a browser. A browser adds the header itself. */
export async function requireSameOrigin(request: FastifyRequest): Promise<void> {
  const site = request.headers['sec-fetch-site'] ?? 'same-origin'
  if (site !== 'same-origin') throw new ContractError('cross_site_request')
  request.body ??= {}
}
