import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nodeHttp } from '../../src/http/node-http.ts'

/** A server that publishes a key set, and can simulate failures. */
export interface KeyServer {
  readonly url: string
  readonly port: number
  /** The paths of all requests so far. */
  readonly requests: readonly string[]
  publish(...keys: readonly unknown[]): void
  /** Replaces the response from now on. */
  respondWith(respond: (response: ServerResponse) => void): void
  /** Resolves when the next request has arrived. */
  nextRequest(): Promise<void>
  /** Closes every connection and listens no longer, until it is restarted on the same port. */
  stop(): Promise<void>
  restart(): Promise<void>
  close(): Promise<void>
}

export async function openKeyServer(keys: readonly unknown[]): Promise<KeyServer> {
  const requests: string[] = []
  const events = new EventEmitter()
  let respond = respondWithKeys(keys)
  const server = nodeHttp.createServer((request, response) => {
    requests.push(request.url ?? '')
    events.emit('request')
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
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/.well-known/jwks.json`,
    port,
    requests,
    publish(...published) {
      respond = respondWithKeys(published)
    },
    respondWith(replacement) {
      respond = replacement
    },
    async nextRequest() {
      await once(events, 'request')
    },
    stop,
    restart: () => listen(port),
    close: stop,
  }
}

function respondWithKeys(keys: readonly unknown[]): (response: ServerResponse) => void {
  return (response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ keys }))
  }
}
