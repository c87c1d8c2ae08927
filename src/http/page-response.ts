import { Readable } from 'node:stream'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ContractError, errorTable } from '../contract/index.ts'
import { interactionHeader } from '../contract/response-headers.ts'
import type { Consent } from '../platform/consent/consent.ts'
import type { Download, PageRequest, PageResponse } from '../platform/consent/page-exchange.ts'
import { renderLayout } from '../platform/consent/pages/layout.ts'
import { renderError, renderUnavailable } from '../platform/consent/pages/steps.ts'
import type { HttpApp } from './app.ts'
import { groupAddress, resolveCallerAddress, type TrustedProxies } from './caller-address.ts'
import { formatCookie, readCookie } from './cookies.ts'
import { noteFailure, retryAfterDefaultSeconds } from './error-handler.ts'
import { acceptForms } from './json-body.ts'
import { describeExcess } from './request-log.ts'

/** A form of a page is short, except for that with the accounts. */
export const formBytesMax = 4096

/** Makes the routes of a scope accept forms and respond to errors with a page, which has the text. */
export function preparePages(scope: HttpApp, { brand }: Consent, text: string): void {
  scope.removeAllContentTypeParsers()
  acceptForms(scope)
  scope.setErrorHandler((error: FastifyError | Error, request, reply) => {
    const { status, title } = describeError(error)
    if (status >= 500) noteFailure(request, error)
    const interactionId = String(reply.getHeader(interactionHeader))
    const page =
      status === 503
        ? renderUnavailable(interactionId)
        : renderError(title, text, { retry: '', interactionId })
    return sendPage(reply.status(status), renderLayout(brand, page))
  })
}

/** What the request says about its browser. The secret is that of the cookie. */
export function readPageRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { origin }: Consent,
  { cookie, trustedProxies }: { cookie: string; trustedProxies: TrustedProxies | undefined },
): PageRequest {
  return {
    secret: readCookie(request.headers.cookie, cookie),
    form: request.method === 'POST' ? toForm(request.body) : undefined,
    source: groupAddress(resolveCallerAddress(request.raw, trustedProxies)),
    isCrossSite: isCrossSite(request, origin),
    interactionId: String(reply.getHeader(interactionHeader)),
  }
}

const downloadTypes: Readonly<Record<Download['name'], string>> = {
  'records.csv': 'text/csv; charset=utf-8',
  'records.html': 'text/html; charset=utf-8',
}

/** Sends the page, or leads the browser to another one. `path` is that of the page and its cookie. */
export function sendPageResponse(
  reply: FastifyReply,
  { status, html = '', download, location, secret, formTarget, over }: PageResponse,
  { origin }: Consent,
  { cookie, path, seconds }: { cookie: string; path: string; seconds: number },
): FastifyReply {
  if (secret !== undefined) {
    const isSecure = origin.startsWith('https:')
    const lifetime = secret === '' ? 0 : seconds
    const options = { path, seconds: lifetime, isSecure, sameSite: 'Lax' } as const
    reply.header('set-cookie', formatCookie(cookie, secret, options))
  }
  if (over) {
    reply.request.failure = describeExcess(over.limit)
    reply.header('retry-after', over.waitSeconds)
  }
  reply.status(status)
  if (download) {
    return reply
      .headers({
        ...pageHeaders(),
        'content-disposition': `attachment; filename="${download.name}"`,
      })
      .type(downloadTypes[download.name])
      .send(Readable.from(download.content, { objectMode: false }))
  }
  return location === undefined
    ? sendPage(reply, html, formTarget)
    : reply.header('location', location || path).send()
}

function sendPage(reply: FastifyReply, html: string, formTarget?: string): FastifyReply {
  if (reply.statusCode === 503) reply.header('retry-after', retryAfterDefaultSeconds)
  return reply.headers(pageHeaders(formTarget)).type('text/html; charset=utf-8').send(html)
}

/** Neither scripts nor frames nor foreign content. Browsers apply `form-action` to redirects after a form, too. */
export function pageHeaders(formTarget = ''): Record<string, string> {
  return {
    'content-security-policy':
      `default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self' ${formTarget}; frame-ancestors 'none'; base-uri 'none'`.replace(
        ' ;',
        ';',
      ),
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  }
}

export function toForm(body: unknown): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams()
}

/** By the headers that a browser adds itself. A client without them is not a browser that another site could use. */
function isCrossSite({ headers }: FastifyRequest, ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') return true
  return origin !== undefined && origin !== ownOrigin
}

function describeError(error: FastifyError | Error) {
  const { statusCode = 500 } = error as Partial<FastifyError>
  const status = error instanceof ContractError ? errorTable[error.code].status : statusCode
  if (error instanceof ContractError || status < 500)
    return { status, title: 'The request is invalid' }
  return { status: 500, title: 'Something went wrong' }
}
