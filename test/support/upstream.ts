import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { nodeHttp } from '../../src/http/node-http.ts'
import type { Scope } from './engines.ts'

export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: string
}

export interface TestUpstream {
  readonly address: string
  readonly requests: readonly ReceivedRequest[]
}

type Respond = (response: ServerResponse, request: IncomingMessage) => void

/** A page of B1 without accounts. */
export const emptyPage = JSON.stringify({
  data: { accounts: [] },
  links: { self: 'page=1&page-size=25', first: 'page=1', last: 'page=1' },
  meta: { totalRecords: 0, totalPages: 0 },
})

const respondEmpty: Respond = (response) =>
  response.setHeader('content-type', 'application/json').end(emptyPage)

/** An HTTP server that records what it receives. It is closed with the scope. */
export async function openUpstream(
  scope: Scope,
  respond: Respond = respondEmpty,
): Promise<TestUpstream> {
  const requests: ReceivedRequest[] = []
  const server = nodeHttp.createServer(async (request, response) => {
    const { method = '', url = '', headers, rawHeaders } = request
    requests.push({ method, url, headers, rawHeaders, body: await text(request) })
    respond(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { address: `http://127.0.0.1:${port}`, requests }
}
