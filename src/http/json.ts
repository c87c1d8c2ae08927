import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { JsonBody, JsonStream, JsonText } from '../contract/index.ts'

/** Node sends a short string in one write with its headers. A longer one is faster to send as a buffer. */
const stringLengthMax = 2048

/** Up to here, a copy takes less time than a write of several parts. */
const joinedBytesMax = 64 * 1024

/** What a streamed response counts as: about this much of it is in memory at once. */
export const streamBytes = 512 * 1024

export const jsonType = 'application/json; charset=utf-8'

export function sendJson(reply: FastifyReply, body: JsonBody | JsonStream): FastifyReply {
  reply.type(jsonType)
  if (typeof body === 'object' && Symbol.asyncIterator in body) {
    reply.reserveBytes(streamBytes)
    // Each chunk is produced only when the client has read the one before.
    return reply.send(Readable.from(onePerIteration(body), { objectMode: false, highWaterMark: 1 }))
  }
  if (typeof body === 'object') {
    const bytes = countBytes(body)
    reply.reserveBytes(bytes)
    return sendReserved(reply, body, bytes)
  }
  const content = body.length > stringLengthMax ? Buffer.from(body) : body
  reply.reserveBytes(content.length)
  return reply.send(content)
}

/**
 * Sends text without the hooks that a route of Fastify may have for responses. Node sends text of ASCII characters in one
 * write with the headers.
 */
export function sendText(reply: FastifyReply, text: string): void {
  const bytes = Buffer.byteLength(text)
  reply.type(jsonType)
  reply.reserveBytes(bytes)
  const response = writeHead(reply, bytes)
  if (bytes === text.length) response?.end(text, 'latin1')
  else response?.end(Buffer.from(text))
}

/**
 * What an asynchronous handler returns after it sent a response. Only a streamed response must be waited for: resolving a
 * promise with the reply would cost every request several turns of the microtask queue.
 */
export function untilSent(reply: FastifyReply): FastifyReply | undefined {
  return reply.sent ? undefined : reply
}

export function countBytes(chunks: readonly JsonText[]): number {
  return chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0)
}

/** Sends a body whose bytes are reserved, with the content type that the reply has. */
export function sendReserved(
  reply: FastifyReply,
  chunks: readonly JsonText[],
  bytes: number,
): FastifyReply {
  const [first] = chunks
  // Not copied: many responses may share it.
  if (chunks.length === 1 && first instanceof Uint8Array) return reply.send(first)
  return bytes <= joinedBytesMax
    ? reply.send(Buffer.concat(chunks.map(toBytes)))
    : writeChunks(reply, chunks, bytes)
}

/** Fastify would need one buffer: a copy of a large page. */
function writeChunks(
  reply: FastifyReply,
  chunks: readonly JsonText[],
  bytes: number,
): FastifyReply {
  const response = writeHead(reply, bytes)
  // The headers and all chunks in one system call. `end` uncorks.
  response?.cork()
  for (const chunk of chunks) response?.write(chunk)
  response?.end()
  return reply
}

/** Undefined if the handler exceeded its timeout, so that the response was sent in its place. */
function writeHead(reply: FastifyReply, bytes: number): ServerResponse | undefined {
  if (reply.sent) return undefined
  const { raw } = reply.hijack().header('content-length', bytes)
  return raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
}

function toBytes(chunk: JsonText): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}

let lastIteration: Promise<void> = Promise.resolve()

/**
 * Produces one chunk in each iteration of the event loop, over all streamed responses together. The operating system
 * buffers what is sent and SQLite reads synchronously, so a stream could otherwise block all other requests.
 */
async function* onePerIteration(chunks: JsonStream): AsyncGenerator<JsonText> {
  for await (const chunk of chunks) {
    yield chunk
    lastIteration = lastIteration.then(() => setImmediate())
    await lastIteration
  }
}
