import type { FastifyReply, FastifyRequest } from 'fastify'
import { matchesIfNoneMatch } from '../platform/catalogue/entity-tags.ts'
import { digestEntityTag } from '../platform/cds/public-answer.ts'
import type { HttpApp } from './app.ts'
import { sendJson } from './json.ts'
import { overloaded } from './load-shedding.ts'

/** What logs and metrics call a request for the document. */
export const openApiLabel = 'openapi'

/**
 * How many copies a process sends at once. Callers need no token, so slow ones must not use up the capacity for
 * requests that have one.
 */
const unsentMax = 16

/** How long a client may use the document without asking again, in seconds. */
const cacheSeconds = 300

declare module 'fastify' {
  interface FastifyContextConfig {
    document?: typeof openApiLabel
  }
}

/** Serves OpenAPI documents, by path. They need no token, because they contain no data. */
export function mountOpenApi(
  app: HttpApp,
  documents: Readonly<Record<string, () => object | Promise<object>>>,
): void {
  let unsent = 0
  for (const [url, build] of Object.entries(documents)) {
    let rendered: ReturnType<typeof render> | undefined
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      // Not at startup, which it would delay.
      rendered ??= render(await build())
      const { body, etag } = rendered
      const isCached = matchesIfNoneMatch(request.headers['if-none-match'], etag)
      if (!isCached && unsent >= unsentMax) throw overloaded

      reply.headers({
        'access-control-allow-origin': '*',
        'cache-control': `public, max-age=${cacheSeconds}`,
        etag,
      })
      if (isCached) return reply.status(304).send()
      unsent += 1
      reply.raw.on('close', () => {
        unsent -= 1
      })
      return sendJson(reply, [body])
    }
    app.route({ method: ['GET', 'HEAD'], url, config: { document: openApiLabel }, handler })
  }
}

function render(document: unknown) {
  const body = Buffer.from(JSON.stringify(document))
  return { body, etag: digestEntityTag(body) }
}
