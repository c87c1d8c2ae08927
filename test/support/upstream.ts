import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
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

export type Respond = (response: ServerResponse, request: IncomingMessage) => void

/** A valid response of B1. */
export const accountsPage = JSON.stringify({
  data: { accounts: [{ accountId: 'a1' }] },
  links: { self: 'page=1&page-size=25', first: 'page=1', last: 'page=1' },
  meta: { totalRecords: 1, totalPages: 1 },
})

export function respondJson(body: string, status = 200): Respond {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

/** An HTTP server that records what it receives. It is closed with the scope. */
export async function openUpstream(
  scope: Scope,
  respond: Respond = respondJson(accountsPage),
): Promise<TestUpstream> {
  const requests: ReceivedRequest[] = []
  const server = nodeHttp.createServer(async (request, response) => {
    const { method = '', url = '', headers, rawHeaders } = request
    const body = await text(request)
    requests.push({ method, url, headers, rawHeaders, body })
    respond(response, request)
  })
  return { address: await listen(scope, server), requests }
}

export interface RawUpstream {
  readonly address: string
  /** The connections so far, closed ones included. */
  readonly sockets: readonly Socket[]
  /** The request lines in the order in which they were received. */
  readonly requestLines: readonly string[]
}

/** A TCP server that writes what a test wants. `onRequest` is called with the number of the request, from 0. */
export async function openRawUpstream(
  scope: Scope,
  onRequest: (socket: Socket, number: number) => void = () => {},
): Promise<RawUpstream> {
  const sockets: Socket[] = []
  const requestLines: string[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    let head = ''
    socket.on('error', () => {})
    socket.on('data', (data) => {
      head += data.toString('latin1')
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      requestLines.push(head.slice(0, head.indexOf('\r\n')))
      head = head.slice(end + 4)
      onRequest(socket, requestLines.length - 1)
    })
  })
  scope.after(async () => {
    for (const socket of sockets) socket.destroy()
  })
  return { address: await listen(scope, server), sockets, requestLines }
}

/** The bytes of a response with a JSON body. */
export function rawResponse(body: string, fields = `content-length: ${body.length}`): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${fields}\r\n\r\n${body}`
}

async function listen(scope: Scope, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
    await closed
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
