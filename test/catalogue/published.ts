import assert from 'node:assert/strict'
import type { Answer, Headers } from '../support/http.ts'
import type { PlatformCaller } from '../support/platform.ts'

export const publishedPath = '/cds-au/v1/banking/products'

/** The newest versions. */
export const listVersion = { 'x-v': '5' }
export const detailVersion = { 'x-v': '7' }

export function getList(
  { get }: PlatformCaller,
  query = '',
  headers: Headers = listVersion,
): Promise<Answer> {
  return get(`${publishedPath}${query}`, headers)
}

export function getDetail(
  { get }: PlatformCaller,
  id: string,
  headers: Headers = detailVersion,
): Promise<Answer> {
  return get(`${publishedPath}/${encodeURIComponent(id)}`, headers)
}

/** The products of all versions of `effective`, by id. */
export async function listNames(platform: PlatformCaller, query = ''): Promise<string[]> {
  const answer = await getList(platform, query)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.products.map(({ name }: { name: string }) => name).sort()
}

export function assertCdsError(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.deepEqual(Object.keys(answer.body), ['errors'])
  const [error] = answer.body.errors
  assert.equal(error.code, `urn:au-cds:error:cds-all:${code}`)
  assert.ok(error.title && error.detail, answer.text)
}
