import type { FastifyReply, FastifyRequest } from 'fastify'

/** How much a client may leave unread before it is disconnected: more than the history that it receives first. */
const unsentBytesMax = 2 * 1024 * 1024

export type EventStream = ReturnType<typeof openEventStream>

/**
 * Starts a response of server-sent events. The request then counts as completed in the log and the metrics, and the
 * handler timeout no longer applies to it. The connection ends with the stream.
 */
export function openEventStream(request: FastifyRequest, reply: FastifyReply) {
  const { raw } = reply
  reply.hijack()
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // nginx would otherwise delay events.
    'x-accel-buffering': 'no',
    connection: 'close',
  })
  raw.flushHeaders()
  request.streamStart = performance.now()
  return {
    /** Sends events with JSON texts as their data. */
    send(event: string, data: readonly string[]): void {
      if (raw.destroyed || raw.writableEnded) return
      raw.write(data.map((text) => `event: ${event}\ndata: ${text}\n\n`).join(''))
      if (raw.writableLength > unsentBytesMax) raw.destroy()
    },
    end: () => raw.end(),
  }
}
