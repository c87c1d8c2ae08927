import { AsyncLocalStorage } from 'node:async_hooks'
import { providerOperations } from '../contract/index.ts'
import type { HttpApp } from '../http/app.ts'
import type { PasscodeMessage } from '../platform/consent/passcodes.ts'
import type { Session, Sessions } from './sessions.ts'
import { type Call, showToken } from './timeline.ts'

interface PlatformRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** A call that the platform answers. */
interface Cause {
  readonly session: Session
  readonly id: string
}

/** Records what the platform does for a session, in the demonstration only. */
export function openPlatformWatch(sessions: Sessions) {
  /** The request that the platform answers. */
  const context = new AsyncLocalStorage<Cause>()

  return {
    /** Sends and records requests to the provider. */
    async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
      const cause = context.getStore()
      const started = performance.now()
      const record = (status?: number) => {
        const outcome = { status, started, ms: performance.now() - started }
        if (cause) recordProviderCall(sessions, cause, String(input), init, outcome)
      }
      try {
        const response = await fetch(input, init)
        record(response.status)
        return response
      } catch (error) {
        record()
        throw error
      }
    },

    recordPasscode({ phoneNumber }: PasscodeMessage): void {
      const { session, id } = context.getStore() ?? {}
      if (!session) return
      sessions.record(session, {
        cause: id,
        from: 'platform',
        to: 'customer',
        title: `Sends a one-time code to the phone ending ${phoneNumber.slice(-3)}`,
        rule: 'The customer proves who they are with a code on the phone that the provider knows, never with a password. The demo shows the code on the page and in the terminal.',
        started: performance.now(),
      })
    },

    /** Records requests of browsers. Must be called before the platform listens. */
    watch(app: HttpApp): void {
      app.addHook('preHandler', (request, _reply, done) => {
        const session = sessions.findByKey(findKey(request))
        if (session) context.run({ session, id: findCallId(request) }, done)
        else done()
      })
      app.addHook('onResponse', async (request, reply) => {
        const page = describePage(request.method, request.url, request.body)
        const session = page && sessions.findByKey(findKey(request))
        if (!session) return
        const location = String(
          reply.raw.getHeader('location') ?? reply.getHeader('location') ?? '',
        )
        const [, uid] = /\/consent\/([\w-]+)$/.exec(location) ?? []
        if (uid !== undefined) sessions.link(uid, session)
        const ms = reply.elapsedTime
        sessions.record(session, {
          id: findCallId(request),
          from: 'customer',
          to: 'platform',
          method: request.method,
          url: request.url.split('?', 1)[0],
          ...page,
          status: reply.statusCode,
          started: performance.now() - ms,
          ms,
        })
      })
    },
  }
}

/** What a request has in common with earlier ones of the same session. */
function findKey(request: PlatformRequest): string | undefined {
  const { pathname, searchParams } = new URL(request.url, 'http://platform')
  const [, uid] = /^\/(?:consent|oidc\/authorize)\/([\w-]+)$/.exec(pathname) ?? []
  const interactionId = request.headers['x-fapi-interaction-id']
  return uid ?? searchParams.get('request_uri') ?? [interactionId].flat()[0]
}

/** Third parties send the ID of the call with it. */
function findCallId({ id, headers }: PlatformRequest & { readonly id: string }): string {
  return [headers['x-fapi-interaction-id']].flat()[0] ?? id
}

/** What customers do on the pages. Undefined for requests of third parties, which record their own. */
function describePage(
  method: string,
  url: string,
  body: unknown,
): { readonly title: string; readonly rule: string } | undefined {
  const [path = ''] = url.split('?', 1)
  if (path === '/oidc/authorize') return pages.get('open')
  if (path.startsWith('/oidc/authorize/')) return pages.get('return')
  if (!/^\/consent\/[\w-]+$/.test(path)) return undefined
  const action = body instanceof URLSearchParams ? (body.get('action') ?? '') : ''
  return (method === 'GET' ? undefined : pages.get(action)) ?? pages.get('read')
}

/** The rules of the pages, and of the buttons by their action. */
const pages = new Map(
  Object.entries({
    open: {
      title: 'Opens the consent in the browser',
      rule: 'The URL contains no data: a reference to the pushed request, which works once and for 90 seconds.',
    },
    read: {
      title: 'Reads the page',
      rule: 'The pages are plain HTML without scripts. They say who asks for what, and for how long.',
    },
    identify: {
      title: 'Enters the e-mail address',
      rule: 'The response is the same whether or not a customer has the address.',
    },
    passcode: {
      title: 'Enters the one-time code',
      rule: 'A code is valid for five minutes and three tries. Limits per customer and address prevent guessing.',
    },
    resend: { title: 'Requests a new code', rule: 'A new code can be requested after 30 seconds.' },
    restart: {
      title: 'Uses another e-mail address',
      rule: 'Nothing is shared until the customer agrees.',
    },
    'select-all': { title: 'Selects all accounts', rule: 'No account is selected in advance.' },
    accounts: {
      title: 'Selects the accounts',
      rule: 'Only accounts that were offered to this customer are accepted.',
    },
    back: { title: 'Changes the accounts', rule: 'Nothing is shared until the customer agrees.' },
    confirm: {
      title: 'Agrees to share',
      rule: 'The platform stores the arrangement before the third party receives a code.',
    },
    cancel: {
      title: 'Cancels',
      rule: 'The third party receives the error access_denied, and nothing is shared.',
    },
    return: {
      title: 'Returns to the third party',
      rule: 'RFC 9207: the browser carries a code, the state and the issuer. The code is useless without the key and the verifier of the third party.',
    },
  }),
)

function recordProviderCall(
  sessions: Sessions,
  { session, id }: Cause,
  url: string,
  { method = 'GET', headers, body }: RequestInit = {},
  outcome: Pick<Call, 'status' | 'started' | 'ms'>,
): void {
  const { pathname } = new URL(url)
  const operation = Object.values(providerOperations).find(
    (each) => each.method === method && matches(each.path, pathname),
  )
  const { authorization = '' } = (headers ?? {}) as Readonly<Record<string, string>>
  const token = showToken('platform token', authorization.replace('Bearer ', ''))
  sessions.record(session, {
    cause: id,
    from: 'platform',
    to: 'provider',
    title: operation ? `${operation.summary} (${operation.ref})` : pathname,
    rule: operation?.description ?? 'The platform asks the provider with a new token.',
    method,
    url,
    sent: typeof body === 'string' ? [['body', body]] : undefined,
    tokens: token ? [token] : undefined,
    ...outcome,
  })
}

function matches(template: string, pathname: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname)
}
