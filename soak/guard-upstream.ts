import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { createBody } from './guard-bodies.ts'

/** A service behind a guard, as a program of its own: it answers most requests, and fails in the middle of the others. */
const server = createServer(async (request, response) => {
  const body = createBody(request.url ?? '', await text(request))
  const behaviour = behaviours[Math.floor(Math.random() * behaviours.length)] ?? respond
  behaviour(response.setHeader('content-type', 'application/json'), body)
})

type Behaviour = (response: ServerResponse, body: string) => void

const half = (body: string) => body.slice(0, body.length / 2)

const respond: Behaviour = (response, body) => {
  response.end(body)
}

const respondInChunks: Behaviour = (response, body) => {
  response.write(half(body))
  setImmediate(() => response.end(body.slice(half(body).length)))
}

const resetBeforeHeaders: Behaviour = (response) => {
  response.socket?.resetAndDestroy()
}

const resetWithinBody: Behaviour = (response, body) => {
  response.setHeader('content-length', Buffer.byteLength(body))
  response.write(half(body), () => response.socket?.resetAndDestroy())
}

const closeWithinChunks: Behaviour = (response, body) => {
  response.write(half(body), () => response.socket?.end())
}

const failWithPage: Behaviour = (response) => {
  response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Error</h1>')
}

const behaviours: readonly Behaviour[] = [
  ...Array.from({ length: 8 }, () => respond),
  ...Array.from({ length: 4 }, () => respondInChunks),
  resetBeforeHeaders,
  resetWithinBody,
  closeWithinChunks,
  failWithPage,
]

server.listen(Number(process.argv[2]), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${process.argv[2]}\n`)
})
