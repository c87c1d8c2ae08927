import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limitConnections } from '../../http/connections.ts'
import { nodeHttp } from '../../http/node-http.ts'
import {
  type MetricsEndpoint,
  type MetricsReader,
  metricsPath,
  nameParameter,
  rejectionsPath,
} from './metrics-reader.ts'
import { contentType } from './registry.ts'

const connectionsMax = 16
const requestTimeoutMs = 5000
const headerBytesMax = 8 * 1024

/** Serves metrics and rejected requests without authentication. Concurrent requests for the same share one collection. */
export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  reader: MetricsReader,
): Promise<MetricsEndpoint> {
  const answer = shareConcurrent((target) => respond(target, reader))
  const limits = {
    maxHeaderSize: headerBytesMax,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 2 * 60_000,
  }
  const server = nodeHttp.createServer(limits, async ({ method, url = '' }, response) => {
    if (!isServed(url)) response.writeHead(404).end()
    else if (method !== 'GET') response.writeHead(405, { allow: 'GET' }).end()
    else send(response, await answer(url).catch(() => undefined))
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

interface MetricsAnswer {
  readonly type: string
  readonly text: string
}

function isServed(target: string): boolean {
  const [path = ''] = target.split('?', 1)
  return path === metricsPath || path === rejectionsPath || path.startsWith(`${rejectionsPath}/`)
}

async function respond(target: string, reader: MetricsReader): Promise<MetricsAnswer> {
  const { pathname, searchParams } = new URL(target, 'http://metrics')
  if (pathname === metricsPath) {
    const names = searchParams.getAll(nameParameter)
    return { type: contentType, text: await reader.text(names.length > 0 ? names : undefined) }
  }
  const id = pathname.slice(rejectionsPath.length + 1)
  const report = await reader.rejections({
    reason: searchParams.get('reason') ?? undefined,
    interactionId: id === '' ? undefined : id,
    refused: searchParams.get('refused') === 'true',
    tools: searchParams.get('tools') !== 'false',
  })
  return { type: 'application/json; charset=utf-8', text: JSON.stringify(report) }
}

function send(response: ServerResponse, answer: MetricsAnswer | undefined): void {
  if (answer) response.writeHead(200, { 'content-type': answer.type }).end(answer.text)
  else response.writeHead(500).end()
}

/** A call while another one with the same argument runs gets its result. */
function shareConcurrent<Result>(
  call: (target: string) => Promise<Result>,
): (target: string) => Promise<Result> {
  const running = new Map<string, Promise<Result>>()
  return (target) => {
    const current = running.get(target) ?? call(target).finally(() => running.delete(target))
    running.set(target, current)
    return current
  }
}
