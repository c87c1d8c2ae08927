import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import {
  classifyError,
  isConnectionClosed,
  type UpstreamFailure,
  upstreamError,
} from './failures.ts'
import { type ObjectScan, openObjectScan } from './object-scan.ts'

export type HeaderFields = Readonly<Record<string, string | string[] | undefined>>

export interface UpstreamResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: HeaderFields
  /** All of the body as it was received, or a stream of it if it is too large to be collected. */
  readonly body: readonly Buffer[] | Readable
  /** Whether nothing is missing from the body: its end is stated, or it is a complete JSON object. */
  readonly isComplete: boolean
}

/** Whether the body was collected, not streamed. */
export function isCollected(body: UpstreamResponse['body']): body is readonly Buffer[] {
  return Array.isArray(body)
}

/** Whether the end of the body is stated, so that a lost connection cannot be mistaken for it. */
function hasStatedEnd(headers: HeaderFields): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  return length !== undefined || String(coding).toLowerCase() === 'chunked'
}

/** A request to the upstream and its response. */
export interface Exchange {
  /** Rejects with an error that can be sent to the client. */
  readonly response: Promise<UpstreamResponse>
  /** Ends the exchange if it is not over. */
  abort(): void
}

export interface ExchangeLimits {
  /** From the start of the request on its connection to the last byte of the response headers. */
  readonly firstByteTimeoutMs: number
  readonly totalTimeoutMs: number
  readonly responseBytesMax: number
  /** A response that is larger is streamed, unless the end of the connection is its end. */
  readonly collectBytesMax: number
  /** Called with the number of bytes of each chunk of a large body. */
  readonly onLargeChunk?: ((bytes: number) => void) | undefined
}

/** The bytes of all responses that are being collected. */
export interface CollectedBytes {
  count: number
  readonly max: number
}

/** A larger body counts as large. */
const largeBytes = 64 * 1024

/** How much of a streamed response is in memory at once. */
const streamBytes = 256 * 1024

/**
 * Sends a request and collects the response. If the upstream closes the connection before its response starts, the
 * request is sent once more on a new connection: every operation is a read. `dispatch` is called with true for that.
 * `onReleased` is called when undici no longer refers to the request, which may be long after the exchange is over.
 */
export function openExchange(
  dispatch: (handler: Dispatcher.DispatchHandler, isRetry: boolean) => void,
  limits: ExchangeLimits,
  collected: CollectedBytes,
  onReleased: () => void,
): Exchange {
  const { firstByteTimeoutMs, totalTimeoutMs, responseBytesMax, collectBytesMax } = limits
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamResponse>()
  let controller: Dispatcher.DispatchController | undefined
  let isOver = false
  let isRetry = false
  let status = 0
  let headers: HeaderFields = {}
  /** Of a body whose end is not stated. */
  let scan: ObjectScan | undefined
  let chunks: Buffer[] = []
  let bytes = 0
  let receivedBytes = 0
  let stream: Readable | undefined
  let firstByteTimer: NodeJS.Timeout | undefined

  const takeChunks = (): Buffer[] => {
    const taken = chunks
    chunks = []
    collected.count -= bytes
    bytes = 0
    return taken
  }
  const end = (): void => {
    isOver = true
    clearTimeout(timer)
    clearTimeout(firstByteTimer)
  }
  const fail = (reason: UpstreamFailure): void => {
    if (isOver) return
    end()
    takeChunks()
    const error = upstreamError(reason)
    controller?.abort(error)
    if (stream) stream.destroy(error)
    else reject(error)
  }
  const abort = (): void => fail('client closed the connection')
  const timer = setTimeout(fail, totalTimeoutMs, 'total timeout')

  const startStream = (): void => {
    stream = new Readable({
      highWaterMark: streamBytes,
      read: () => controller?.resume(),
      destroy(error, done) {
        abort()
        done(error)
      },
    })
    // Until it is sent, nothing else listens.
    stream.on('error', () => {})
    for (const chunk of takeChunks()) push(stream, chunk)
    resolve({ status, headers, body: stream, isComplete: true })
  }
  const push = (target: Readable, chunk: Buffer): void => {
    if (!target.push(chunk)) controller?.pause()
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      // It waited for a connection until it was over. To abort it would also close the connection.
      if (isOver) throw upstreamError('client closed the connection')
      controller = started
      firstByteTimer = setTimeout(fail, firstByteTimeoutMs, 'first byte timeout')
    },
    onResponseStart(_controller, statusCode, fields) {
      clearTimeout(firstByteTimer)
      status = statusCode
      headers = fields
      if (!hasStatedEnd(fields)) scan = openObjectScan()
      if (Number(fields['content-length']) > responseBytesMax) fail('response too large')
    },
    onResponseData(_controller, chunk) {
      receivedBytes += chunk.length
      if (receivedBytes > largeBytes) limits.onLargeChunk?.(chunk.length)
      if (stream) return push(stream, chunk)
      append(chunks, chunk)
      bytes += chunk.length
      collected.count += chunk.length
      const isTooMuch = collected.count > collected.max
      if (!scan) {
        if (isTooMuch || bytes > collectBytesMax) startStream()
      } else if (isTooMuch) fail('too many buffered bytes')
      else scan.read(chunk)
    },
    onResponseEnd() {
      onReleased()
      if (isOver) return
      end()
      if (stream) stream.push(null)
      else resolve({ status, headers, body: takeChunks(), isComplete: scan?.isComplete() ?? true })
    },
    onResponseError(_controller, error) {
      if (isOver) return onReleased()
      const isSent = controller !== undefined
      if (isSent && status === 0 && !isRetry && isConnectionClosed(error)) {
        isRetry = true
        controller = undefined
        clearTimeout(firstByteTimer)
        dispatch(handler, true)
        return
      }
      onReleased()
      fail(classifyError(error, isSent))
    },
  }
  dispatch(handler, false)
  return { response: promise, abort }
}

/** The chunks of a body as one buffer. */
export function joinChunks(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks
  return first && chunks.length === 1 ? first : Buffer.concat(chunks)
}

/** Smaller chunks are joined: a chunk of one byte needs more than a hundred. */
const chunkBytesMin = 16 * 1024

function append(chunks: Buffer[], chunk: Buffer): void {
  let joined = chunk
  for (let last = chunks.at(-1); last && isJoined(last, joined); last = chunks.at(-1)) {
    joined = Buffer.concat([last, joined])
    chunks.pop()
  }
  chunks.push(joined)
}

/** Only with one that is at least as large, so that no byte is copied often. */
function isJoined(last: Buffer, next: Buffer): boolean {
  return last.length < chunkBytesMin && last.length <= next.length
}
