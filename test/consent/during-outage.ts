import assert from 'node:assert/strict'
import * as openid from 'openid-client'
import { until } from '../support/until.ts'
import type { BrowserPage } from './browser.ts'
import { fetchFrom, type TestThirdParty } from './third-party.ts'

const seconds = /^[1-9]\d*$/

/** Asserts of each response to a third party with a server error that it is that of an outage. */
export function checkUnavailable({ config }: TestThirdParty, port: number): void {
  config[openid.customFetch] = async (url, options) => {
    const response = await fetchFrom(port)(url, options)
    if (response.status >= 500) {
      const body = (await response.clone().json()) as { readonly error: string }
      assert.deepEqual([response.status, body.error], [503, 'temporarily_unavailable'])
      assert.match(response.headers.get('retry-after') ?? '', seconds)
    }
    return response
  }
}

export function assertUnavailablePage({ status, text, headers }: BrowserPage): void {
  assert.equal(status, 503, text)
  assert.match(text, /The service is temporarily unavailable\..*<a href="">Try again<\/a>/s)
  assert.match(String(headers['retry-after']), seconds)
  assert.equal(headers['set-cookie'], undefined)
}

/** Whether a third party got a 503. */
export function isUnavailable({ cause }: Error): boolean {
  return cause instanceof Response && cause.status === 503
}

/** Sends a request of a third party, and repeats it after each 503, when the database has recovered. */
export async function insist<Result>(
  recover: () => void,
  request: () => Promise<Result>,
): Promise<Result> {
  let result: Result | undefined
  await until(async () => {
    try {
      result = await request()
      return true
    } catch (error) {
      if (!isUnavailable(error as Error)) throw error
      recover()
      return false
    }
  })
  return result as Result
}
