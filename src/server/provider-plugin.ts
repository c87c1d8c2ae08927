import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Mounts paths in an application of Fastify, with all methods, so that the provider also answers the wrong ones. Requests
 * are passed on before their body is read: checks, limits, errors and log are those of the provider.
 */
export function createPlugin(
  paths: readonly string[],
  handle: Handle,
  close: () => Promise<void>,
): FastifyPluginAsync {
  return async (instance: FastifyInstance) => {
    const prefix = instance.prefix.replace(/\/$/, '')
    if (/[:*]/.test(prefix)) {
      throw new TypeError('the prefix of the provider must not have parameters')
    }
    for (const url of new Set(paths)) {
      instance.route({
        method: [...instance.supportedMethods],
        url,
        exposeHeadRoute: false,
        async onRequest({ raw }, reply) {
          reply.hijack()
          handle(withoutPrefix(raw, prefix), reply.raw)
        },
        handler: () => {},
      })
    }
    instance.addHook('onClose', close)
  }
}

/** The prefix is a part of the provider URL, not of the path of an operation. */
function withoutPrefix(
  request: IncomingMessage & { originalUrl?: string },
  prefix: string,
): IncomingMessage {
  const { url = '' } = request
  if (prefix !== '' && url.startsWith(`${prefix}/`)) {
    // Where Fastify has the URL of a request that was rewritten.
    request.originalUrl ??= url
    request.url = url.slice(prefix.length)
  }
  return request
}
