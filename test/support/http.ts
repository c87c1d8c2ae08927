import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Agent, IncomingMessage } from 'node:http'
import { request as sendSecure } from 'node:https'
import { text as readText } from 'node:stream/consumers'
import { nodeHttp } from '../../src/http/node-http.ts'
import type { Scope } from './engines.ts'
import { until } from './until.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** The parsed JSON; undefined if the response is not JSON. */
  readonly body: ReturnType<JSON['parse']>
}

export type Headers = Readonly<Record<string, string>>

export interface Sent {
  readonly method?: string
  /** A list of names and values is sent unchanged, so that a name can be repeated. */
  readonly headers?: Headers | readonly string[]
  /** Sent as JSON; text and bytes are sent unchanged. */
  readonly body?: unknown
  /** Sends this Content-Length and no body. */
  readonly announced?: number
  /** Without an agent, each request has its own connection. */
  readonly agent?: Agent
}

/** Sends a request with exactly this path, which `fetch` would normalise, to a port or an address. */
export async function send(
  server: number | string,
  path: string,
  sent: Sent = {},
): Promise<Answer> {
  const address = typeof server === 'string' ? server : `http://127.0.0.1:${server}`
  const { protocol, hostname, port, host } = new URL(address)
  const { method = 'GET', headers = {}, body, announced, agent = false } = sent
  const content =
    body === undefined || typeof body === 'string' || body instanceof Uint8Array
      ? body
      : JSON.stringify(body)
  const outgoing = (protocol === 'https:' ? sendSecure : nodeHttp.request)({
    host: hostname,
    port,
    path,
    method,
    agent,
    headers: isList(headers)
      ? ['host', host, ...contentLength(content), ...headers]
      : { ...(content !== undefined && { 'content-type': 'application/json' }), ...headers },
  })
  // The listener stays: a server that rejects early breaks what is still being written.
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject)
    if (announced === undefined) outgoing.end(content)
    else outgoing.setHeader('content-length', announced).flushHeaders()
  })
  const text = await readText(incoming)
  if (announced !== undefined || agent === false) outgoing.destroy()
  const isJson = text !== '' && incoming.headers['content-type']?.startsWith('application/json')
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers as Answer['headers'],
    text,
    body: isJson ? parseJson(text) : undefined,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Repeats a request that is rejected because the machine is busy, which does not use its token. */
export async function retryWhileOverloaded(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask()
  await until(async () => {
    if (answer.status === 503) answer = await ask()
    return answer.status !== 503
  })
  return answer
}

/** Counts the requests for a path that have arrived at a server of this process. */
export function countRequests(scope: Scope, path: string): () => number {
  let count = 0
  const onRequest = (message: unknown) => {
    const { request } = message as { readonly request: IncomingMessage }
    if (request.url === path) count += 1
  }
  subscribe('http.server.request.start', onRequest)
  scope.after(async () => void unsubscribe('http.server.request.start', onRequest))
  return () => count
}

function isList(headers: Headers | readonly string[]): headers is readonly string[] {
  return Array.isArray(headers)
}

/** Node adds no headers to a list. */
function contentLength(content: string | Uint8Array | undefined): string[] {
  return content === undefined ? [] : ['content-length', String(Buffer.byteLength(content))]
}
