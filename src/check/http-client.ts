import { Agent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as AgentTls, request as requestHttps } from 'node:https'
import type { Operation } from '../contract/index.ts'
import { shown } from './redact.ts'
import type { Exchange } from './report.ts'

export interface HttpClientOptions {
  /** Requests a second; 0 for as many as it takes. */
  readonly rate: number
  readonly timeoutMs: number
}

export interface Sent {
  readonly method: string
  /** The whole address, sent byte for byte. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly operation: Operation
  /** Sends it at once, whatever the rate: for what must arrive together. */
  readonly isBurst?: boolean
}

export interface Answer {
  readonly operation: Operation
  /** 0 where no answer came. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The text as JSON; undefined where it is none. */
  readonly body: unknown
  readonly isSuccess: boolean
  /** Made when it is shown: most answers never are. */
  readonly exchange: () => Exchange
}

export interface HttpClient {
  send(sent: Sent): Promise<Answer>
  readonly count: () => number
  close(): void
}

/** The longest answer that is read. */
const bodyBytesMax = 16 * 1024 * 1024
const socketsMax = 16

/** HTTP without a browser's kindness: no redirects, no tidied paths. */
export function openHttpClient({ rate, timeoutMs }: HttpClientOptions): HttpClient {
  const agents = {
    'http:': new Agent({ keepAlive: true, maxSockets: socketsMax }),
    'https:': new AgentTls({ keepAlive: true, maxSockets: socketsMax }),
  }
  let next = 0
  let count = 0

  async function turn(): Promise<void> {
    if (rate <= 0) return
    const now = performance.now()
    const at = Math.max(now, next)
    next = at + 1000 / rate
    if (at > now) await pause(at - now)
  }

  return {
    async send(sent) {
      if (!sent.isBurst) await turn()
      count += 1
      try {
        const { status, headers, text } = await transfer(sent, agents, timeoutMs)
        return answerOf(sent, status, headers, text)
      } catch (error) {
        return answerOf(sent, 0, {}, '', error instanceof Error ? error.message : String(error))
      }
    },
    count: () => count,
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

function transfer(
  { method, url, headers, body }: Sent,
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
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new Error(`the answer is longer than ${bodyBytesMax} bytes`)
    chunks.push(chunk)
  }
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])
  return {
    status: incoming.statusCode ?? 0,
    headers: Object.fromEntries(headers) as Record<string, string>,
    text: Buffer.concat(chunks).toString('utf8'),
  }
}

function answerOf(
  sent: Sent,
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
  error?: string,
): Answer {
  return {
    operation: sent.operation,
    status,
    headers,
    text,
    body: parsed(text),
    isSuccess: status >= 200 && status < 300,
    exchange: () => ({
      request: {
        method: sent.method,
        url: shown(sent.url),
        headers: shownHeaders(sent.headers),
        ...(sent.body !== undefined && { body: shown(sent.body) }),
      },
      ...(status !== 0 && {
        response: { status, headers: shownHeaders(headers), body: shown(text) },
      }),
      ...(error !== undefined && { error }),
    }),
  }
}

function shownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, shown(value)]))
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
