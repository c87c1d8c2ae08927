import type { Socket } from 'node:net'
import { type ErrorCode, errorTable } from '../contract/index.ts'
import { interactionHeader } from '../contract/response-headers.ts'
import { getLastResponse } from './connections.ts'
import { resolveInteractionId } from './interaction-id.ts'
import { jsonType } from './json.ts'
import type { HttpLimits } from './limits.ts'
import { nodeHttp } from './node-http.ts'
import { noOperation, type RequestLogOptions } from './request-log.ts'

/** Errors of Node's HTTP parser and its timeouts, by their code. The other parser codes are syntax errors. */
const parserCodes = new Map<string, ErrorCode>([
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'body_too_large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
])

/** Responds to what could not be parsed as a request with an ordinary error body, and closes the connection. */
export function createParserErrorHandler(
  { drainBytesMax, drainMs }: HttpLimits,
  options: RequestLogOptions,
  transportHeaders: Readonly<Record<string, string>>,
) {
  /** For each connection that is being closed: the value of `bytesRead` at which it is closed immediately. */
  const readMaxBySocket = new WeakMap<Socket, number>()

  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    const code = parserErrorCode(error)
    const readMax = readMaxBySocket.get(socket)
    if (readMax !== undefined) {
      // Every further chunk of data reports an error again.
      if (socket.bytesRead > readMax) socket.destroy()
      return
    }
    // A client that never sent a byte does not expect a response.
    if (!code || !socket.writable || socket.bytesRead === 0) {
      socket.destroy()
      return
    }
    readMaxBySocket.set(socket, socket.bytesRead + drainBytesMax)
    const end = () => {
      if (!socket.writable) return
      socket.end(rawResponse(code, options, transportHeaders))
      // Closing now, with unread data, would reset the connection before the client has read the response.
      const timer = setTimeout(() => socket.destroy(), drainMs)
      socket.once('close', () => clearTimeout(timer))
    }
    const earlier = getLastResponse(socket)
    if (!earlier) end()
    // The response to an earlier request must be sent first.
    else if (earlier.req.complete) earlier.once('close', end)
    // The invalid or late bytes are the body of that request.
    else if (earlier.headersSent) socket.destroy()
    else {
      const { status, headers, text } = errorResponse(code, earlier.req.headers[interactionHeader])
      earlier.writeHead(status, { ...transportHeaders, ...headers }).end(text)
    }
  }
}

function parserErrorCode({ code = '' }: NodeJS.ErrnoException): ErrorCode | undefined {
  return parserCodes.get(code) ?? (code.startsWith('HPE_') ? 'invalid_request' : undefined)
}

function errorResponse(code: ErrorCode, interactionId?: string | string[]) {
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

/** The complete response as text: without a parsed request, Node has no response object. */
function rawResponse(
  code: ErrorCode,
  { log, metrics, role }: RequestLogOptions,
  transportHeaders: Readonly<Record<string, string>>,
): string {
  const { status, headers, text } = errorResponse(code)
  const interactionId = headers[interactionHeader]
  log?.info({ operation: noOperation, status, interactionId }, 'request')
  metrics?.recordRequest(noOperation, status, 0)
  const { message: reason } = errorTable[code]
  const failure = { operation: noOperation, status, code, reason }
  metrics?.recordFailure({ time: Date.now(), role, interactionId, ...failure })
  const all = { ...transportHeaders, ...headers }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status]}\r\n${head.join('')}\r\n${text}`
}
