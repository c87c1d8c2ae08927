import { Agent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as AgentTls, request as requestHttps } from 'node:https'
import type { Operation } from '../contract/index.ts'
import { parseJson } from '../contract/parse-json.ts'
import { readBytes } from '../contract/read-bytes.ts'
import { tools } from '../contract/tools.ts'
import { redact } from './redact.ts'
import type { Exchange } from './report.ts'

interface HttpRequest {
  readonly method: string
  /** The complete URL, sent byte for byte. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly operation: Operation
  /** Ignores the rate: for requests that must arrive at the same time. */
  readonly isBurst?: boolean
}

export interface HttpResponse {
  readonly operation: Operation
  /** 0 if there was no response. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The parsed text; undefined if it is not JSON. */
  readonly body: unknown
  readonly isSuccess: boolean
  /** For reports. Built on demand: most responses are never shown. */
  readonly exchange: () => Exchange
}

export interface HttpClient {
  send(request: HttpRequest): Promise<HttpResponse>
  readonly count: () => number
  close(): void
}

const bodyBytesMax = 16 * 1024 * 1024
const socketsMax = 16

/** Sends up to `rate` requests per second, unchanged: it follows no redirects and normalizes no paths. 0 is no limit. */
export function openHttpClient(rate: number, timeoutMs: number): HttpClient {
  const agents = {
    'http:': new Agent({ keepAlive: true, maxSockets: socketsMax }),
    'https:': new AgentTls({ keepAlive: true, maxSockets: socketsMax }),
  }
  let next = 0
  let count = 0

  async function waitForRate(): Promise<void> {
    if (rate <= 0) return
    const now = performance.now()
    const at = Math.max(now, next)
    next = at + 1000 / rate
    if (at > now) await pause(at - now)
  }

  return {
    async send(request) {
      if (!request.isBurst) await waitForRate()
      count += 1
      try {
        return toResponse(request, await transfer(request, agents, timeoutMs))
      } catch (error) {
        return toResponse(request, { status: 0, headers: {}, text: '' }, describeFailure(error))
      }
    },
    count: () => count,
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens on this port (ECONNREFUSED)',
  ENOTFOUND: 'the host name is unknown (ENOTFOUND)',
  EAI_AGAIN: 'the host name cannot be resolved (EAI_AGAIN)',
}

/** Without a message, it is the combined error of all addresses of a host. */
function describeFailure(error: unknown): string {
  const { name, message, code = '' } = error as NodeJS.ErrnoException
  if (name === 'TimeoutError') return 'no response in time'
  // The response to a handshake is text: OpenSSL reports what it takes the text for, with a code for all its errors.
  if (/wrong version number|packet length too long/i.test(message)) {
    return 'the port does not speak TLS: use http://, or another port'
  }
  return failures[code] ?? (message || code)
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

type Received = Pick<HttpResponse, 'status' | 'headers' | 'text'>

function transfer(
  { method, url, headers, body }: HttpRequest,
  agents: { readonly 'http:': Agent; readonly 'https:': AgentTls },
  timeoutMs: number,
): Promise<Received> {
  const { protocol, hostname, port } = new URL(url)
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2))
  const isTls = protocol === 'https:'
  return new Promise((resolve, reject) => {
    const outgoing = (isTls ? requestHttps : requestHttp)({
      method,
      path,
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port || (isTls ? 443 : 80),
      agent: isTls ? agents['https:'] : agents['http:'],
      headers: {
        accept: 'application/json',
        'user-agent': tools.check,
        ...headers,
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      },
      signal: AbortSignal.timeout(timeoutMs),
    })
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => void receive(incoming).then(resolve, reject))
    outgoing.end(body)
  })
}

async function receive(incoming: IncomingMessage): Promise<Received> {
  const bytes = await readBytes(incoming, bodyBytesMax)
  if (!bytes) throw new Error(`the response is larger than ${bodyBytesMax} bytes`)
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])
  return {
    status: incoming.statusCode ?? 0,
    headers: Object.fromEntries(headers) as Record<string, string>,
    text: Buffer.from(bytes.buffer).toString(),
  }
}

function toResponse(
  request: HttpRequest,
  { status, headers, text }: Received,
  error?: string,
): HttpResponse {
  return {
    operation: request.operation,
    status,
    headers,
    text,
    body: parseJson(text),
    isSuccess: status >= 200 && status < 300,
    exchange: () => ({
      request: {
        method: request.method,
        url: redact(request.url),
        headers: redactHeaders(request.headers),
        ...(request.body !== undefined && { body: redact(request.body) }),
      },
      ...(status !== 0 && {
        response: { status, headers: redactHeaders(headers), body: redact(text) },
      }),
      ...(error !== undefined && { error }),
    }),
  }
}

function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]))
}
