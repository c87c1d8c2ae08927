import { EventEmitter, once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Where a test's platform publishes its keys, and all that can go wrong there. */
export interface KeyServer {
  readonly url: string
  readonly port: number
  /** How often it was asked, for any path. */
  readonly asked: readonly string[]
  publish(...keys: readonly unknown[]): void
  /** Answers in a way of the test's own from now on. */
  answer(respond: (response: ServerResponse) => void): void
  /** Resolves when the next question has arrived. */
  nextQuestion(): Promise<void>
  /** Ends every connection and takes none, until it comes back on the same port. */
  leave(): Promise<void>
  comeBack(): Promise<void>
  close(): Promise<void>
}

export async function openKeyServer(keys: readonly unknown[]): Promise<KeyServer> {
  const asked: string[] = []
  const questions = new EventEmitter()
  let respond = answering(keys)
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    questions.emit('question')
    respond(response)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const leave = async () => {
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
    asked,
    publish(...published) {
      respond = answering(published)
    },
    answer(own) {
      respond = own
    },
    async nextQuestion() {
      await once(questions, 'question')
    },
    leave,
    comeBack: () => listen(port),
    close: leave,
  }
}

function answering(keys: readonly unknown[]): (response: ServerResponse) => void {
  return (response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ keys }))
  }
}
