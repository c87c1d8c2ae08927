import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { publicKeySet } from '../auth/signing.ts'
import type { SigningKeyStore } from '../catalogue/signing-keys.ts'
import { ProviderError } from '../provider/error.ts'
import { errorDoor } from './error-door.ts'
import { httpLimits } from './limits.ts'

/** How long a reader of the key set may keep it, in seconds. A new key is found by its id before that. */
const keySetSeconds = 300

export interface PlatformAppOptions {
  readonly signingKeys: SigningKeyStore
  readonly log?: FastifyBaseLogger
}

/** What the platform answers: its public keys. */
export function platformApp({ signingKeys, log }: PlatformAppOptions): FastifyInstance {
  const app = Fastify({
    ...(log ? { loggerInstance: log } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: httpLimits.bodyBytesMax,
    requestTimeout: httpLimits.requestMs,
    keepAliveTimeout: httpLimits.idleMs,
    frameworkErrors: errorDoor,
    return503OnClosing: false,
  })
  app.setErrorHandler(errorDoor)
  app.setNotFoundHandler(() => {
    throw new ProviderError('route_not_found')
  })
  app.get('/.well-known/jwks.json', async (_request, reply) => {
    const body = JSON.stringify(publicKeySet(await signingKeys.list()))
    return reply
      .header('cache-control', `public, max-age=${keySetSeconds}`)
      .type('application/json; charset=utf-8')
      .send(body)
  })
  return app
}
