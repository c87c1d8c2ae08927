import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorCode, errorTable } from '../contract/index.ts'
import { getLastResponse } from './connections.ts'
import { interactionHeader, resolveInteractionId } from './interaction-id.ts'
import { jsonType } from './json.ts'
import type { HttpLimits } from './limits.ts'
import { noOperation, type RequestLogOptions } from './request-log.ts'

/** What Node's HTTP parser and its timeouts report, by the code that they give. Its other codes are syntax errors. */
const parserCodes = new Map<string, ErrorCode>([
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'body_too_large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
])

type DrainLimits = Pick<HttpLimits, 'drainBytesMax' | 'drainMs'>

/** Answers what never became a request, in the form that every error has, and closes the connection. */
export function createParserErrorHandler(
  { drainBytesMax, drainMs }: DrainLimits,
  watching: RequestLogOptions,
) {
  /** How many bytes may have been read on a connection that is being closed, or will be after an earlier answer. */
  const readMaxBySocket = new WeakMap<Socket, number>()

  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    const code = errorCodeOf(error)
    const readMax = readMaxBySocket.get(socket)
    if (readMax !== undefined) {
      // Each further piece of data is an error again.
      if (socket.bytesRead > readMax) socket.destroy()
      return
    }
    // On a connection that never sent a byte, nobody waits for an answer.
    if (!code || !socket.writable || socket.bytesRead === 0) {
      socket.destroy()
      return
    }
    readMaxBySocket.set(socket, socket.bytesRead + drainBytesMax)
    const end = () => {
      if (!socket.writable) return
      socket.end(rawAnswer(code, watching))
      // Closed at once, with data unread, the connection would be reset before the client has read the answer.
      const timer = setTimeout(() => socket.destroy(), drainMs)
      socket.once('close', () => clearTimeout(timer))
    }
    const earlier = getLastResponse(socket)
    if (!earlier) end()
    // An earlier request is still being answered: its answer comes first.
    else if (earlier.req.complete) earlier.once('close', end)
    // It is the body of that request that is invalid or late.
    else if (earlier.headersSent) socket.destroy()
    else {
      const { status, headers, text } = answerTo(code, earlier.req.headers[interactionHeader])
      earlier.writeHead(status, headers).end(text)
    }
  }
}

function errorCodeOf({ code = '' }: NodeJS.ErrnoException): ErrorCode | undefined {
  return parserCodes.get(code) ?? (code.startsWith('HPE_') ? 'invalid_request' : undefined)
}

function answerTo(code: ErrorCode, interactionId?: string | string[]) {
  const { status, message } = errorTable[code]
  const error = code === 'invalid_request' ? 'the request must be valid HTTP/1.1' : message
  const text = JSON.stringify({ error })
  const headers = {
    'content-type': jsonType,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    connection: 'close',
    [interactionHeader]: resolveInteractionId(interactionId),
  }
  return { status, headers, text }
}

/** The whole answer as it is sent, where there is no request that Node would answer. */
function rawAnswer(code: ErrorCode, { log, metrics }: RequestLogOptions): string {
  const { status, headers, text } = answerTo(code)
  const interactionId = headers[interactionHeader]
  log?.info({ operation: noOperation, status, interactionId }, 'request')
  metrics?.recordRequest(noOperation, status, 0)
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${text}`
}
