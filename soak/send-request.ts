import { type Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ReceivedAnswers } from './answer-records.ts'
import type { Token } from './platform.ts'
import type { Tally } from './tally.ts'

export interface SoakRequest {
  readonly path: string
  readonly query?: string
  readonly body?: string | undefined
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The accounts whose lists it reads. */
  readonly lists?: readonly string[]
}

/** Undefined if there was no response. */
export type SoakResponse =
  | {
      readonly status: number
      readonly body: string
      readonly retryAfter: string | undefined
      readonly interactionId: string
    }
  | undefined

/** An unanswered request must not block the run. The server's own timeouts are shorter. */
const timeoutMs = 40_000

/** Sends requests, and counts responses, failures and accepted tokens. */
export function openRequestSender(port: number, tally: Tally, answers: ReceivedAnswers) {
  return async (
    soakRequest: SoakRequest,
    token: Token | undefined,
    agent: Agent | false = false,
  ): Promise<SoakResponse> => {
    const start = performance.now()
    if (token) answers.begin()
    const response = await send(port, soakRequest, token?.text, agent).catch((error: Error) => {
      tally.count('unanswered')
      if (!tally.wasUnavailable(start)) {
        tally.fault(
          'dropped',
          `${soakRequest.path} ${(error as NodeJS.ErrnoException).code ?? error.message}`,
        )
      }
      return undefined
    })
    if (!response) return undefined
    tally.count('requests')
    tally.count(`answered with ${response.status}`)
    if (response.status === 503 && !tally.wasUnavailable(start)) {
      const { path, lists = [] } = soakRequest
      if (!tally.wasPartlyUnavailable(start, lists)) {
        tally.fault('dropped', `${path} answered with 503`)
      } else if (!/^[1-9]\d*$/.test(response.retryAfter ?? '')) {
        tally.fault('wrong', `${path} answered with 503 and Retry-After: ${response.retryAfter}`)
      }
    }
    if (token) answers.end(response.status, response.interactionId)
    if (token && response.status === 200) {
      token.accepted += 1
      if (token.accepted > 1)
        tally.fault('replayed', `${soakRequest.path} a token was accepted twice`)
    }
    return response
  }
}

export type SendRequest = ReturnType<typeof openRequestSender>

async function send(
  port: number,
  { path, query = '', body, method, headers = {} }: SoakRequest,
  token: string | undefined,
  agent: Agent | false,
): Promise<NonNullable<SoakResponse>> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path: path + query,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      agent,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
        ...headers,
      },
    })
    outgoing.on('error', reject).on('response', (incoming) => {
      const { statusCode: status = 0, headers } = incoming
      const retryAfter = headers['retry-after']
      const interactionId = String(headers['x-fapi-interaction-id'])
      text(incoming).then((body) => resolve({ status, body, retryAfter, interactionId }), reject)
    })
    outgoing.end(body)
  })
}
