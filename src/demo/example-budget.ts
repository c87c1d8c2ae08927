import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { iconType, renderIcon } from '../platform/consent/pages/icon.ts'
import { renderBudget, renderMessage, renderStart } from './pages/budget.ts'
import { renderDeleted, renderWithdraw } from './pages/ended.ts'
import { budgetColour, renderBudgetStylesheet } from './pages/stylesheet.ts'
import { Refused, type ThirdPartyOptions } from './platform-calls.ts'
import type { Session } from './sessions.ts'
import { readSharedData } from './shared-data.ts'
import { exchangeCode, pushRequest, withdrawConsent } from './third-party.ts'

const cookieName = 'example_budget'
const connectionsMax = 100
const parameterLengthMax = 2000

interface ExampleBudgetOptions extends Omit<ThirdPartyOptions, 'redirectUri'> {
  /** The name of the provider, as its customers know it. */
  readonly providerName: string
  /** The address of this server. */
  readonly origin: string
  /** An e-mail address of a customer, to try the consent with. */
  readonly exampleEmail: string | undefined
  /** Without it, the pages have the font of the system. */
  readonly font?: Buffer | undefined
  /** Called with an unexpected error. */
  readonly onError: (error: unknown) => void
}

/** The path to which customers return. */
export const callbackPath = '/callback'
export const keySetPath = '/jwks.json'

interface Exchange extends ExampleBudgetOptions, ThirdPartyOptions {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  readonly session: Session | undefined
}

/** A small third party with pages for a person to try. The server does not listen yet. */
export function createExampleBudget(options: ExampleBudgetOptions): Server {
  const { origin, sessions, onError } = options
  const redirectUri = origin + callbackPath
  const server = createServer((request, response) => {
    request.resume()
    const url = URL.parse(request.url ?? '', origin) ?? new URL(origin)
    const session = sessions.find(readCookie(request))
    const exchange = { ...options, redirectUri, request, response, url, session }
    answer(exchange).catch((error: unknown) => {
      if (!(error instanceof Refused)) onError(error)
      const text = `${options.providerName} did not respond as expected. Wait a moment, then try again.`
      sendPage(
        exchange,
        error instanceof Refused ? 502 : 500,
        renderMessage('Please try again', text),
      )
    })
  })
  server.maxConnections = connectionsMax
  return server
}

/** What each path does. */
const routes: Readonly<Record<string, (exchange: Exchange) => Promise<void> | void>> = {
  'GET /': showHome,
  'GET /style.css': (exchange) =>
    send(
      exchange,
      200,
      'text/css; charset=utf-8',
      renderBudgetStylesheet(exchange.font && '/inter.woff2'),
    ),
  'GET /inter.woff2': (exchange) => send(exchange, 200, 'font/woff2', exchange.font ?? ''),
  'GET /icon.svg': (exchange) => send(exchange, 200, iconType, renderIcon(budgetColour)),
  [`GET ${keySetPath}`]: (exchange) =>
    send(exchange, 200, 'application/json', JSON.stringify({ keys: [exchange.key.jwk] })),
  [`GET ${callbackPath}`]: finishConsent,
  'POST /connect': startConsent,
  'POST /read': async (exchange) => {
    const { session } = exchange
    if (session?.tokens) await readData(exchange, session)
    redirect(exchange, '/')
  },
  'GET /withdraw': (exchange) => {
    const { session } = exchange
    if (!session?.data || session.isRefused) return redirect(exchange, '/')
    sendPage(exchange, 200, renderWithdraw(exchange, session.data))
  },
  'POST /withdraw': async (exchange) => {
    const { session } = exchange
    if (session?.tokens && !session.isRefused) {
      session.phase = 'withdrawal'
      await withdrawConsent(exchange, session)
      await readData(exchange, session)
    }
    redirect(exchange, '/')
  },
  'POST /delete': (exchange) => {
    if (exchange.session) exchange.sessions.remove(exchange.session.id)
    redirect(exchange, '/deleted')
  },
  'GET /deleted': (exchange) => sendPage(exchange, 200, renderDeleted(exchange)),
}

async function answer(exchange: Exchange): Promise<void> {
  const { request, url } = exchange
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
  const name = `${method} ${url.pathname}`
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined
  if (!route) {
    return sendPage(exchange, 404, renderMessage('Page not found', 'This page does not exist.'))
  }
  if (method === 'POST' && isCrossSite(exchange)) {
    const text = 'The form was not sent from this page.'
    return sendPage(exchange, 403, renderMessage('The form could not be used', text))
  }
  await route(exchange)
}

function showHome(exchange: Exchange): void {
  const { session } = exchange
  const page = session?.data
    ? renderBudget(exchange, session, session.data)
    : renderStart(exchange, session)
  sendPage(exchange, 200, page)
}

/** Each consent is a new session, so that a timeline tells one story. */
async function startConsent(exchange: Exchange): Promise<void> {
  const { sessions, providerName } = exchange
  if (exchange.session) sessions.remove(exchange.session.id)
  const session = sessions.create()
  sessions.record(session, {
    from: 'customer',
    to: 'third party',
    title: `Presses “Connect ${providerName}”`,
    rule: 'A consent starts at the third party, which says what it needs and why.',
    method: 'POST',
    url: '/connect',
    started: performance.now(),
  })
  const location = await pushRequest(exchange, session)
  session.phase = 'consent'
  const cookie = `${cookieName}=${session.id}; Path=/; HttpOnly; SameSite=Lax`
  redirect(exchange, location, { 'set-cookie': cookie })
}

/** The customer returns. The state proves that this browser started the consent. */
async function finishConsent(exchange: Exchange): Promise<void> {
  const { session, url, issuer, sessions, providerName } = exchange
  const read = (name: string) => url.searchParams.get(name)?.slice(0, parameterLengthMax)
  const flow = session?.flow
  if (!session || !flow || read('state') !== flow.state || read('iss') !== issuer) {
    const text = 'This link does not belong to a consent that you started here.'
    return sendPage(exchange, 400, renderMessage('Start again', text))
  }
  session.flow = undefined
  const [code, error] = [read('code'), read('error')]
  sessions.record(session, {
    from: 'customer',
    to: 'third party',
    title: error === undefined ? 'Brings the code' : `Brings the error ${error}`,
    rule: 'RFC 6749: the third party compares the state with that of the browser’s session, and the issuer with the one that it asked.',
    method: 'GET',
    url: callbackPath,
    sent: [...url.searchParams.keys()].map((name) => [
      name,
      name === 'code' ? 'not shown' : (read(name) ?? ''),
    ]),
    started: performance.now(),
  })
  if (code === undefined) {
    session.notice = {
      title: `${providerName} is not connected`,
      text: 'You cancelled, so nothing was shared. You can start again at any time.',
    }
    return redirect(exchange, '/')
  }
  session.phase = 'tokens'
  await exchangeCode(exchange, session, flow, code)
  session.phase = 'data'
  await readData(exchange, session)
  redirect(exchange, '/')
}

async function readData(exchange: Exchange, session: Session): Promise<void> {
  const { providerName } = exchange
  try {
    session.data = await readSharedData(exchange, session, Temporal.Now.instant())
    session.isRefused = false
    session.notice = undefined
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    session.isRefused = error.status !== 503
    session.notice = session.isRefused
      ? {
          title: `${providerName} refused the request`,
          text: `The sharing has ended, so the platform answered with the status ${error.status}.`,
        }
      : {
          title: `${providerName} does not respond`,
          text: 'Wait a moment, then read again.',
        }
  }
}

function redirect(
  { response, issuer }: Exchange,
  location: string,
  more: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(303, { ...headers(issuer), ...more, location })
  response.end()
}

function sendPage(exchange: Exchange, status: number, page: string): void {
  send(exchange, status, 'text/html; charset=utf-8', page)
}

function send(
  { response, issuer }: Exchange,
  status: number,
  type: string,
  body: string | Buffer,
): void {
  response.writeHead(status, { ...headers(issuer), 'content-type': type })
  response.end(body)
}

/** No scripts and no foreign content. Browsers apply `form-action` to redirects after a form, too. */
function headers(formTarget: string): Record<string, string> {
  return {
    'content-security-policy': `default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self' ${new URL(formTarget).origin}; frame-ancestors 'none'; base-uri 'none'`,
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }
}

function isCrossSite({ request, origin: own }: Exchange): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined && site !== 'same-origin') return true
  return origin !== undefined && origin !== own
}

function readCookie({ headers: { cookie = '' } }: IncomingMessage): string | undefined {
  return new RegExp(`(?:^|;\\s*)${cookieName}=([\\w-]+)`).exec(cookie)?.[1]
}
