import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from '../support/engines.ts'

export interface FixedResponse {
  readonly status: number
  readonly body: string | Uint8Array
  readonly headers?: Record<string, string>
}

export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly authorization: string
}

/** Starts a server that sends the given responses, and records the requests. It is closed with the scope. */
export async function respondWith(
  scope: Scope,
  respond: (request: SeenRequest) => FixedResponse,
): Promise<{ readonly url: string; readonly seen: readonly SeenRequest[] }> {
  const seen: SeenRequest[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request
    const received = { method, url, authorization: request.headers.authorization ?? '' }
    seen.push(received)
    const { status, body, headers } = respond(received)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(async () => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}
