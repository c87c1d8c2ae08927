import { type Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Tally } from './tally.ts'
import type { Token } from './tokens.ts'

export interface Sent {
  readonly path: string
  readonly query?: string
  readonly body?: string | undefined
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Undefined where no answer came. */
export type Answered = { readonly status: number; readonly body: string } | undefined

/** A request that nobody answers would hold the run; the server's own bounds are shorter. */
const patienceMs = 40_000

/** Sends requests and keeps the books: of what was answered, of what was not, and of tokens that passed. */
export function openAsking(port: number, tally: Tally) {
  return async (
    sent: Sent,
    token: Token | undefined,
    agent: Agent | false = false,
  ): Promise<Answered> => {
    const start = performance.now()
    const answered = await send(port, sent, token?.text, agent).catch((error: Error) => {
      tally.count('unanswered')
      if (!tally.wasAway(start)) {
        tally.fault(
          'dropped',
          `${sent.path} ${(error as NodeJS.ErrnoException).code ?? error.message}`,
        )
      }
      return undefined
    })
    if (!answered) return undefined
    tally.count('requests')
    tally.count(`answered with ${answered.status}`)
    if (answered.status === 503 && !tally.wasAway(start)) {
      tally.fault('dropped', `${sent.path} answered with 503`)
    }
    if (token && answered.status === 200) {
      token.passed += 1
      if (token.passed > 1) tally.fault('lost', `${sent.path} a token passed twice`)
    }
    return answered
  }
}

export type Asking = ReturnType<typeof openAsking>

async function send(
  port: number,
  { path, query = '', body, method, headers = {} }: Sent,
  token: string | undefined,
  agent: Agent | false,
): Promise<NonNullable<Answered>> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path: path + query,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      agent,
      signal: AbortSignal.timeout(patienceMs),
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
        ...headers,
      },
    })
    outgoing.on('error', reject).on('response', (response) => {
      const { statusCode = 0 } = response
      text(response).then((answer) => resolve({ status: statusCode, body: answer }), reject)
    })
    outgoing.end(body)
  })
}
