import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SecureContextOptions } from 'node:tls'
import { buildConnector, type Dispatcher, Pool } from 'undici'
import {
  type CollectedBytes,
  type Exchange,
  type ExchangeLimits,
  openExchange,
} from './exchange.ts'
import { upstreamError } from './failures.ts'
import { FinalResponses } from './interim-responses.ts'

export interface UpstreamOptions extends ExchangeLimits {
  /** The base URL, which paths are appended to. */
  readonly url: string
  readonly connections: number
  readonly connectTimeoutMs: number
  /** The limit for the bodies of all requests that wait for a response, together. */
  readonly requestBytesMax?: number | undefined
  readonly tls: SecureContextOptions
}

interface UpstreamRequest {
  readonly method: string
  /** The path and the query as they were received. */
  readonly path: string
  /** Names and values in turn. */
  readonly headers: string[]
  readonly body: Buffer | undefined
}

export interface Upstream {
  send(request: UpstreamRequest): Exchange
  /** Aborts what is in flight. */
  close(): Promise<void>
}

const headerBytesMax = 16 * 1024

const requestBytesDefault = 64 * 1024 * 1024

/** Of all responses together. Beyond it, responses are streamed instead of collected. */
const collectedBytesMax = 64 * 1024 * 1024

export function openUpstream(options: UpstreamOptions): Upstream {
  const { origin, pathname } = new URL(options.url)
  const prefix = pathname.replace(/\/$/, '')
  const poolOptions: Pool.Options = {
    connections: options.connections,
    connect: openConnector(options),
    allowH2: false,
    // The timers of an exchange are more precise.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: headerBytesMax,
    maxResponseSize: options.responseBytesMax,
  }
  const pool = new Pool(origin, poolOptions)
  // Without keep-alive, so that a retry has a new connection: others may be closed too.
  const retryPool = new Pool(origin, { ...poolOptions, pipelining: 0 })
  const { requestBytesMax = requestBytesDefault } = options
  let requestBytes = 0
  const collected: CollectedBytes = { count: 0, max: collectedBytesMax }

  return {
    send({ method, path, headers, body }) {
      let bytes = body?.length ?? 0
      // A single body is always sent, however large it is.
      if (bytes > 0 && requestBytes > 0 && requestBytes + bytes > requestBytesMax) {
        throw upstreamError('too many waiting bytes')
      }
      const request: Dispatcher.DispatchOptions = {
        method,
        path: prefix + path,
        headers,
        ...(body && { body }),
      }
      requestBytes += bytes
      const release = (): void => {
        requestBytes -= bytes
        // It may be called again after an error.
        bytes = 0
        request.body = null
      }
      return openExchange(
        (handler, isRetry) => void (isRetry ? retryPool : pool).dispatch(request, handler),
        options,
        collected,
        release,
      )
    },
    async close() {
      await Promise.all([pool.destroy(), retryPool.destroy()])
    },
  }
}

function openConnector({ tls, connectTimeoutMs }: UpstreamOptions): buildConnector.connector {
  const connect = buildConnector({ ...tls, timeout: connectTimeoutMs })
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error) return callback(error, null)
      // undici uses any stream, but its types name sockets alone.
      callback(null, new FinalResponses(socket, headerBytesMax) as Duplex as Socket)
    })
}
