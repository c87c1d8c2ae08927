import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Server } from '../support/process.ts'

export const searchPath = '/auth/v1/customer/search'
const body = JSON.stringify({ email: 'ana@example.com' })
const half = body.length / 2

/** Sends a request without the second half of its body. */
export async function beginRequest({ port }: Pick<Server, 'port'>, token: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  const head = [
    `POST ${searchPath} HTTP/1.1`,
    'Host: bank.example',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, half)}`)
  // The server confirms that it has read the headers: from then on the request is in flight.
  await once(socket, 'data')
  return socket
}

/** Sends the rest of the body, and returns the first part of the response. */
export async function completeRequest(socket: Socket): Promise<string> {
  socket.write(body.slice(half))
  return String((await once(socket, 'data'))[0])
}

/** Reads until the server closes the connection. */
export async function readToEnd(socket: Socket): Promise<string> {
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  await once(socket, 'close')
  return received
}
