import type { Socket } from 'node:net'

const interimStart = 'HTTP/1.1 1'
const switchingStart = 'HTTP/1.1 101'
const headersEnd = '\r\n\r\n'

/**
 * Removes interim responses from what is read from a connection. A server may send them before any response (RFC 9110,
 * section 15.2), but undici closes the connection after a 100 that was not requested. A 101 is not removed: it ends HTTP.
 */
export function skipInterimResponses(socket: Socket, bytesMax: number): void {
  const read = socket.read.bind(socket)
  let written = 0
  let isStart = false
  let held: Buffer | undefined

  socket.read = (size?: number) => {
    // Streams use a size of 0 to receive more without taking it.
    if (size !== undefined) return read(size)
    // A connection has one request at a time: what is received first after it was written is the start of a response.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten
      isStart = true
      held = undefined
    }
    for (;;) {
      const chunk: Buffer | null = read()
      if (!isStart || chunk === null) return chunk
      const rest = removeInterim(held ? Buffer.concat([held, chunk]) : chunk)
      if (!mayBeInterim(rest) || rest.length > bytesMax) {
        isStart = false
        return rest
      }
      held = rest
    }
  }
}

/** Without the interim responses at the start that are complete. */
function removeInterim(bytes: Buffer): Buffer {
  let rest = bytes
  for (let end = 0; end >= 0 && mayBeInterim(rest); ) {
    end = rest.indexOf(headersEnd)
    if (end >= 0) rest = rest.subarray(end + headersEnd.length)
  }
  return rest
}

/**
 * Whether the bytes are the start of an interim response, or may become one. A line feed alone ends a line for some
 * servers: the next empty line could then belong to the final response, so that undici must reject all of it.
 */
function mayBeInterim(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, switchingStart.length)
  if (!interimStart.startsWith(start.slice(0, interimStart.length))) return false
  const [head = ''] = bytes.toString('latin1').split(headersEnd, 1)
  return start !== switchingStart && !/(?<!\r)\n/.test(head)
}
