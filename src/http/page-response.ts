import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ContractError, errorTable } from '../contract/index.ts'
import { type Brand, renderLayout } from '../platform/consent/pages/layout.ts'
import { renderError, renderUnavailable } from '../platform/consent/pages/steps.ts'
import type { HttpApp } from './app.ts'
import { noteFailure, retryAfterDefaultSeconds } from './error-handler.ts'
import { acceptForms } from './form-body.ts'
import { interactionHeader } from './interaction-id.ts'

/** A form of a page is short, except for that with the accounts. */
export const formBytesMax = 4096

/** Makes the routes of a scope accept forms and respond to errors with a page, which has the text. */
export function preparePages(scope: HttpApp, brand: Brand, text: string): void {
  scope.removeAllContentTypeParsers()
  acceptForms(scope)
  scope.setErrorHandler((error: FastifyError | Error, request, reply) => {
    const { status, title } = describeError(error)
    if (status >= 500) noteFailure(request, error)
    const interactionId = String(reply.getHeader(interactionHeader))
    const body =
      status === 503
        ? renderUnavailable(interactionId)
        : renderError(title, text, { retry: '', interactionId })
    return sendPage(reply.status(status), renderLayout(brand, body))
  })
}

export function sendPage(reply: FastifyReply, html: string, formTarget?: string): FastifyReply {
  if (reply.statusCode === 503) reply.header('retry-after', retryAfterDefaultSeconds)
  return reply.headers(pageHeaders(formTarget)).type('text/html; charset=utf-8').send(html)
}

/** Neither scripts nor frames nor foreign content. Browsers apply `form-action` to redirects after a form, too. */
export function pageHeaders(formTarget = ''): Record<string, string> {
  return {
    'content-security-policy':
      `default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' ${formTarget}; frame-ancestors 'none'; base-uri 'none'`.replace(
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
export function isCrossSite({ headers }: FastifyRequest, ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') return true
  return origin !== undefined && origin !== ownOrigin
}

function describeError(error: FastifyError | Error): {
  readonly status: number
  readonly title: string
} {
  if (error instanceof ContractError) {
    return { status: errorTable[error.code].status, title: 'The request is invalid' }
  }
  const { statusCode = 500 } = error as Partial<FastifyError>
  if (statusCode < 500) return { status: statusCode, title: 'The request is invalid' }
  return { status: 500, title: 'Something went wrong' }
}
