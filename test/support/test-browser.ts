import assert from 'node:assert/strict'
import { type Answer, type Headers, send } from './http.ts'

export interface BrowserAnswer extends Answer {
  /** Where the response came from, after redirects. */
  readonly url: string
}

export interface TestBrowser {
  /** Sends one request. */
  request(url: string, sent?: BrowserRequest): Promise<BrowserAnswer>
  /** Opens an address, and follows redirects until one that `isEnd` accepts. */
  open(url: string, isEnd?: (url: string) => boolean): Promise<BrowserAnswer>
  /** The cookies of an origin by their names. */
  cookies(origin: string): Map<string, string>
}

interface BrowserRequest {
  readonly method?: string
  readonly headers?: Headers
  readonly body?: unknown
}

const redirectsMax = 20

/**
 * A browser without pages: it keeps cookies, and follows redirects. `hosts` has the port of this machine that each origin is
 * served at, by default its own.
 */
export function openTestBrowser(
  hosts: ReadonlyMap<string, number>,
  ownHeaders: Headers = {},
): TestBrowser {
  const jars = new Map<string, Map<string, string>>()
  const cookies = (origin: string) => jars.getOrInsertComputed(origin, () => new Map())
  const request: TestBrowser['request'] = async (url, { method, headers, body } = {}) => {
    const { origin, host, pathname, search, port } = new URL(url)
    const jar = cookies(origin)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await send(hosts.get(origin) ?? Number(port), pathname + search, {
      ...(method !== undefined && { method }),
      ...(body !== undefined && { body }),
      headers: {
        host,
        ...ownHeaders,
        ...(cookie !== '' && { cookie }),
        ...(method !== undefined && { origin, 'sec-fetch-site': 'same-origin' }),
        ...headers,
      },
    })
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) keepCookie(jar, line)
    return { ...answer, url }
  }
  return {
    request,
    cookies,
    async open(url, isEnd = () => false) {
      let answer = await request(url)
      for (let count = 0; answer.status >= 300 && answer.status < 400; count += 1) {
        assert.ok(count < redirectsMax, 'too many redirects')
        const next = new URL(answer.headers['location'] ?? assert.fail('no location'), answer.url)
        if (isEnd(next.href)) return { ...answer, url: next.href }
        answer = await request(next.href)
      }
      return answer
    },
  }
}

function keepCookie(jar: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  const isOver = value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)
  if (isOver) jar.delete(name)
  else jar.set(name, value)
}
