import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { limitConnections } from '../http/connections.ts'
import { nodeHttp } from '../http/node-http.ts'
import { contentType } from './metrics.ts'

export const metricsPath = '/metrics'

const connectionsMax = 16
const requestTimeoutMs = 5000
const headerBytesMax = 8 * 1024

export interface MetricsServer {
  readonly address: string
  close(): Promise<void>
}

/** Serves the metrics without authentication. Concurrent scrapes share one collection. */
export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  collect: () => Promise<string>,
): Promise<MetricsServer> {
  let collecting: Promise<string> | undefined
  const shared = (): Promise<string> => {
    collecting ??= collect().finally(() => {
      collecting = undefined
    })
    return collecting
  }
  const limits = {
    maxHeaderSize: headerBytesMax,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 2 * 60_000,
  }
  const server = nodeHttp.createServer(limits, async ({ method, url }, response) => {
    if (url !== metricsPath) response.writeHead(404).end()
    else if (method !== 'GET') response.writeHead(405, { allow: 'GET' }).end()
    else {
      const text = await shared().catch(() => undefined)
      if (text === undefined) response.writeHead(500).end()
      else response.writeHead(200, { 'content-type': contentType }).end(text)
    }
  })
  // Idle connections must not lock out a scraper.
  limitConnections(server, {
    connectionsMax,
    addressConnectionsMax: Infinity,
    anonymousIdleMs: Infinity,
  })
  server.listen(port, host)
  await once(server, 'listening')
  const { port: boundPort } = server.address() as AddressInfo
  const authority = host.includes(':') ? `[${host}]` : host
  return {
    address: `http://${authority}:${boundPort}${metricsPath}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
