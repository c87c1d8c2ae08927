import { once } from 'node:events'
import { json } from 'node:stream/consumers'
import { nodeHttp } from '../../src/http/node-http.ts'
import type { Scope } from '../support/engines.ts'

interface Posted {
  readonly authorization: string
  readonly body: Readonly<Record<'passcode' | 'phoneNumber' | 'purpose', string>> &
    Readonly<Record<string, unknown>>
}

/** Receives passcodes and receipts as the service of a data provider does. */
export async function openPasscodeService(scope: Scope) {
  const posted: Posted[] = []
  let status = 200
  const server = nodeHttp.createServer(async (request, response) => {
    const body = (await json(request)) as Posted['body']
    posted.push({ authorization: request.headers.authorization ?? '', body })
    response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  scope.after(async () => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as { readonly port: number }
  const setStatus = (replacement: number) => {
    status = replacement
  }
  return { posted, setStatus, url: `http://127.0.0.1:${port}/passcodes?tenant=1` }
}
