import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

const interimStart = 'HTTP/1.1 1'
const switchingStart = 'HTTP/1.1 101'
const headersEnd = '\r\n\r\n'

/**
 * A connection, without interim responses in what is read from it. A server may send them before any response (RFC 9110,
 * section 15.2), but undici closes the connection after a 100 that was not requested. A 101 is not removed: it ends HTTP.
 */
export class FinalResponses extends Duplex {
  readonly #socket: Socket
  readonly #interimBytesMax: number
  /** A connection has one request at a time: what is received first after it was written is the start of a response. */
  #isStart = false
  #held: Buffer | undefined

  constructor(socket: Socket, interimBytesMax: number) {
    super({
      allowHalfOpen: false,
      decodeStrings: false,
      highWaterMark: socket.readableHighWaterMark,
    })
    this.#socket = socket
    this.#interimBytesMax = interimBytesMax
    socket.on('data', (chunk: Buffer) => {
      const rest = this.#isStart ? this.#skipInterim(chunk) : chunk
      if (rest.length > 0 && !this.push(rest)) socket.pause()
    })
    socket.on('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
    socket.pause()
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: Done): void {
    this.#startRequest()
    this.#socket.write(chunk, encoding, done)
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer | string; readonly encoding: BufferEncoding }[],
    done: Done,
  ): void {
    this.#startRequest()
    this.#socket.cork()
    for (const [index, { chunk, encoding }] of chunks.entries()) {
      this.#socket.write(chunk, encoding, index === chunks.length - 1 ? done : undefined)
    }
    this.#socket.uncork()
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#socket.destroy()
    done(error)
  }

  /** An idle connection does not keep the process running. */
  ref(): void {
    this.#socket.ref()
  }

  unref(): void {
    this.#socket.unref()
  }

  #startRequest(): void {
    this.#isStart = true
    this.#held = undefined
  }

  /** Empty while the bytes may be the start of an interim response. */
  #skipInterim(chunk: Buffer): Buffer {
    const rest = removeInterim(this.#held ? Buffer.concat([this.#held, chunk]) : chunk)
    if (mayBeInterim(rest) && rest.length <= this.#interimBytesMax) {
      this.#held = rest
      return Buffer.alloc(0)
    }
    this.#isStart = false
    this.#held = undefined
    return rest
  }
}

type Done = (error?: Error | null) => void

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
