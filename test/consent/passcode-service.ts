import { once } from 'node:events'
import { json } from 'node:stream/consumers'
import { nodeHttp } from '../../src/http/node-http.ts'
import type { Scope } from '../support/engines.ts'

interface Posted {
  readonly authorization: string
  readonly body: {
    readonly passcode: string
    readonly phoneNumber: string
    readonly purpose: string
  }
}

/** Receives passcodes as the service of a data provider does. */
export async function openPasscodeService(scope: Scope) {
  const posted: Posted[] = []
  const server = nodeHttp.createServer(async (request, response) => {
    const body = (await json(request)) as Posted['body']
    posted.push({ authorization: request.headers.authorization ?? '', body })
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  scope.after(async () => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as { readonly port: number }
  return { posted, url: `http://127.0.0.1:${port}/passcodes?tenant=1` }
}
