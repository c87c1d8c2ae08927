import assert from 'node:assert/strict'
import { type PlatformCaller, productPath } from '../support/call-platform.ts'
import type { Answer, Headers } from '../support/http.ts'

export const draftsPath = '/v1/data-provider/cdr/product-drafts'
export const draftPath = (id: string) => `${productPath(id)}/draft`

/** Sends the requests of drafts with the token of a caller. */
export function callDrafts({ send, token }: Pick<PlatformCaller, 'send' | 'token'>) {
  const call = (
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    headers: Headers = {},
    body?: unknown,
  ): Promise<Answer> =>
    send(path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body }),
    })
  return {
    create: (body: unknown, headers: Headers = {}) => call('POST', draftsPath, headers, body),
    save: (id: string, body: unknown, headers: Headers = {}, query = '') =>
      call('PUT', `${draftPath(id)}${query}`, headers, body),
    read: (id: string) => call('GET', draftPath(id)),
    discard: (id: string, headers: Headers = {}) => call('DELETE', draftPath(id), headers),
    publish: (id: string, headers: Headers = {}) =>
      call('POST', `${draftPath(id)}/publish`, headers),
    list: (query = '') => call('GET', `${draftsPath}${query}`),
  }
}

export const ifMatch = ({ headers }: Answer): Headers => ({ 'if-match': String(headers['etag']) })

export function assertError({ status, body }: Answer, expected: number, error: string): void {
  assert.deepEqual([status, body], [expected, { error }])
}
