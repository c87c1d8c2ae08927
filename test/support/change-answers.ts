import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpApp } from '../../src/http/app.ts'

/** Returns the body in place of `body`. It may change the status and the headers of the reply. */
type Change = (request: FastifyRequest, reply: FastifyReply, body: string) => string

/** Changes what an app sends, where it hands it over to Node: it does not send everything through the hooks of Fastify. */
export function changeAnswers(app: HttpApp, change: Change): void {
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = reply
    const [writeHead, end] = [raw.writeHead.bind(raw), raw.end.bind(raw)]
    const written: Uint8Array[] = []
    const note = (chunk: unknown, encoding?: unknown) => {
      if (chunk instanceof Uint8Array) written.push(chunk)
      else if (typeof chunk === 'string') written.push(Buffer.from(chunk, toEncoding(encoding)))
    }
    Object.assign(raw, {
      writeHead(status: number, headers: OutgoingHttpHeaders) {
        for (const [name, value] of Object.entries(headers)) raw.setHeader(name, value ?? '')
        raw.statusCode = status
        return raw
      },
      write(chunk: unknown, encoding: unknown) {
        note(chunk, encoding)
        return true
      },
      end(chunk: unknown, encoding: unknown) {
        note(chunk, encoding)
        reply.status(raw.statusCode)
        const text = change(request, reply, Buffer.concat(written).toString())
        const headers = { ...reply.getHeaders(), 'content-length': Buffer.byteLength(text) }
        writeHead(reply.statusCode, headers as OutgoingHttpHeaders)
        return end(text)
      },
    })
  })
}

function toEncoding(encoding: unknown): BufferEncoding | undefined {
  return typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : undefined
}
