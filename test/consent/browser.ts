import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { type Answer, send } from '../support/http.ts'

interface Cookie {
  readonly name: string
  readonly value: string
  readonly path: string
}

export interface BrowserPage {
  readonly url: URL
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** What a browser does with pages without scripts: cookies, redirects and forms. */
export interface Browser {
  /** The last page of the issuer. */
  readonly page: BrowserPage
  cookies: readonly Cookie[]
  /** Uses TLS with these options. */
  connect(tls: object): void
  /** Sends every request through a function that may repeat it. It is then sent to the next port. */
  repeatWith(repeat: Repeat): void
  /** Sends every further request to one port. */
  pin(port: number): void
  /** Opens a URL and follows redirects. Returns the first URL that is not of the issuer, if it leads to one. */
  open(url: string | URL): Promise<URL | undefined>
  /** Submits the form of the page with a button. */
  submit(
    action: string,
    fields?: Fields,
    headers?: Record<string, string>,
  ): Promise<URL | undefined>
  /** Sends a form without following its redirect. */
  post(
    url: URL,
    fields: URLSearchParams,
    headers?: Record<string, string>,
  ): Promise<BrowserPage & { readonly location?: string | undefined }>
}

export type Repeat = (send: () => Promise<Answer>) => Promise<Answer>

export type Fields = Readonly<Record<string, string | readonly string[]>>

const redirectsMax = 10

let browsers = 0

/** Requests to the issuer are sent to `ports`, in turn. Each browser has an address of its own, as a proxy reports it. */
export function openBrowser(issuer: string, ...given: readonly number[]): Browser {
  let ports = given
  const { origin } = new URL(issuer)
  let requests = 0
  let tls: object | undefined
  let repeat: Repeat = (send) => send()
  browsers += 1
  const address = `10.0.${browsers >> 8}.${browsers & 255}`
  let page: BrowserPage | undefined
  const browser: Browser = {
    get page() {
      assert.ok(page, 'no page is open')
      return page
    },
    cookies: [],
    connect(options) {
      tls = options
    },
    repeatWith(given) {
      repeat = given
    },
    pin(port) {
      ports = [port]
    },
    async open(url) {
      return follow(new URL(url))
    },
    async submit(action, fields = {}, headers = {}) {
      const { url } = browser.page
      const answer = await browser.post(url, readForm(browser.page.text, action, fields), headers)
      page = answer
      return answer.location === undefined ? undefined : follow(new URL(answer.location, url))
    },
    async post(url, fields, headers = {}) {
      const sent = {
        'content-type': 'application/x-www-form-urlencoded',
        origin,
        'sec-fetch-site': 'same-origin',
      }
      return request(url, 'POST', { ...sent, ...headers }, fields.toString())
    },
  }

  async function follow(start: URL): Promise<URL | undefined> {
    for (let url = start, count = 0; count < redirectsMax; count += 1) {
      if (url.origin !== origin) return url
      const answer = await request(url, 'GET', {})
      if (answer.location === undefined) {
        page = answer
        return undefined
      }
      url = new URL(answer.location, url)
    }
    return assert.fail('too many redirects')
  }

  async function request(url: URL, method: string, headers: Record<string, string>, body?: string) {
    const matching = browser.cookies.filter(({ path }) => isWithin(url.pathname, path))
    const cookie = matching.map(({ name, value }) => `${name}=${value}`).join('; ')
    const answer = await repeat(() => {
      requests += 1
      const port = ports[requests % ports.length] ?? 0
      const server = tls ? `https://localhost:${port}` : port
      return send(server, url.pathname + url.search, {
        ...(tls && { agent: new Agent({ ...tls, keepAlive: false }) }),
        method,
        headers: {
          host: url.host,
          'x-forwarded-for': address,
          ...(cookie && { cookie }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      })
    })
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) store(line)
    const { status, text, headers: received } = answer
    const location = answer.headers['location'] as string | undefined
    return { url, status, text, headers: received, location }
  }

  function store(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const [name = '', value = ''] = pair.split('=')
    const path = attributes.find((text) => /^path=/i.test(text))?.slice(5) ?? '/'
    browser.cookies = browser.cookies.filter((each) => each.name !== name || each.path !== path)
    if (value !== '') browser.cookies = [...browser.cookies, { name, value, path }]
  }

  return browser
}

/** A cookie is sent to its path and to what is below it. */
function isWithin(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

/** The values of a form that a browser would send: hidden and checked fields, and those that the customer fills in. */
export function readForm(text: string, action: string, fields: Fields): URLSearchParams {
  const form = new URLSearchParams()
  for (const [input] of text.matchAll(/<input [^>]*>/g)) {
    const read = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1]
    const name = read('name') ?? ''
    const type = read('type')
    if (name in fields || (type === 'checkbox' && !/\bchecked\b/.test(input))) continue
    form.append(name, read('value') ?? '')
  }
  for (const [name, value] of Object.entries(fields)) {
    for (const each of [value].flat()) form.append(name, each)
  }
  assert.ok(text.includes(`value="${action}"`), `no button ${action}`)
  form.append('action', action)
  return form
}
