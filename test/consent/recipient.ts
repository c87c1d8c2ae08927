import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { nodeHttp } from '../../src/http/node-http.ts'
import type { Scope } from '../support/engines.ts'

export interface Informed {
  readonly path: string
  readonly authorization: string
  readonly type: string | undefined
  readonly form: URLSearchParams
}

/** The server of a third party that is informed of the end of consents. */
export interface Recipient {
  readonly baseUri: string
  readonly requests: readonly Informed[]
  /** Replaces the response from now on. It is 204 at first. */
  respondWith(respond: (response: ServerResponse) => void): void
  stop(): Promise<void>
  restart(): Promise<void>
}

export async function openRecipient(scope: Scope): Promise<Recipient> {
  const requests: Informed[] = []
  let respond = (response: ServerResponse): void => void response.writeHead(204).end()
  const server = nodeHttp.createServer(async (request, response) => {
    const { authorization = '', 'content-type': type } = request.headers
    const form = new URLSearchParams(await text(request))
    requests.push({ path: request.url ?? '', authorization, type, form })
    respond(response)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  await listen(0)
  scope.after(stop)
  const { port } = server.address() as AddressInfo
  return {
    baseUri: `http://127.0.0.1:${port}/dr`,
    requests,
    respondWith(replacement) {
      respond = replacement
    },
    stop,
    restart: () => listen(port),
  }
}
