import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TlsOptions } from 'node:tls'
import type { FastifyPluginAsync } from 'fastify'
import { errorTable, providerOperations } from '../contract/index.ts'
import { interactionHeader } from '../contract/response-headers.ts'
import { type HttpApp, toFastifyPath } from '../http/app.ts'
import { retryAfterDefaultSeconds } from '../http/error-handler.ts'
import { healthEndpoints } from '../http/health.ts'
import { resolveInteractionId } from '../http/interaction-id.ts'
import { jsonType } from '../http/json.ts'
import { respondFromStore } from '../http/provider-app.ts'
import type { ProviderOperationId } from '../provider/handler.ts'
import { listServed } from '../provider/source/find-defects.ts'
import type { Source } from '../provider/source/source.ts'
import { toProviderReads } from '../provider/source/to-provider-reads.ts'
import { createDatabase, replaceReplayFile } from '../storage/open.ts'
import { clock } from './clock.ts'
import { databaseOptions } from './database-options.ts'
import { warnOfLowDescriptorLimit } from './descriptor-limit.ts'
import { type EmbeddedTelemetry, openEmbeddedTelemetry } from './embedded-telemetry.ts'
import { shutDownGracefully } from './graceful-shutdown.ts'
import { listen } from './listen.ts'
import { openVerifiedProvider } from './open-provider.ts'
import {
  type GuardOptions,
  type ProviderOptions,
  readOptions,
  withOptionNames,
  withOptions,
} from './provider-options.ts'
import { createPlugin } from './provider-plugin.ts'
import type { Settings } from './settings/settings.ts'
import { logCertificate, logFailedHandshakes, readTls } from './tls.ts'

export interface Provider {
  /** Listens on the host and port of the settings, or on these, once. Returns the URL. */
  listen(options?: { readonly host?: string; readonly port?: number }): Promise<string>
  /** Serves the operations in an application of Fastify 5. Its prefix is the path of the provider URL. */
  readonly plugin: FastifyPluginAsync
  /** A request listener of Node's HTTP server. */
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Whether requests can succeed: the platform's keys and the database are available. */
  isReady(): Promise<boolean>
  /** Completes the requests in flight within the shutdown timeout, and closes the database. Further requests get a 503. */
  close(): Promise<void>
}

/**
 * Opens a provider whose data comes from a source, in the process of another program. Rejects with all errors of the
 * options. It sets no signal handlers and never ends the process.
 */
export async function createProvider(options: ProviderOptions): Promise<Provider> {
  const settings = readOptions(options)
  const tls = readTlsOptions(settings)
  await prepareDatabase(options.guard, settings).catch((error) => {
    throw withOptions(error)
  })
  const telemetry = await openEmbeddedTelemetry(settings, options.log)
  const served = listServed(options.source)
  const app = await openSourceApp(options.source, served, settings, tls, telemetry).catch(
    async (error) => {
      await telemetry.close()
      throw withOptions(error)
    },
  )

  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= app.close().finally(telemetry.close)
    return closing
  }
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (closing) rejectRequest(request, response)
    else app.server.emit('request', request, response)
  }
  let isListening = false
  return {
    async listen({ host = settings.host, port = settings.port } = {}) {
      if (isListening) throw new Error('listen: the provider listens already')
      isListening = true
      return listen(app, host, port, 'choose another').catch(async (error) => {
        await close()
        throw error
      })
    },
    plugin: createPlugin(
      served.map((id) => toFastifyPath(providerOperations[id])),
      handle,
      close,
    ),
    handle,
    isReady: async () =>
      !closing && (await app.inject(healthEndpoints.ready.path)).statusCode === 200,
    close,
  }
}

async function prepareDatabase(
  { create = false, newReplayFile = false }: GuardOptions,
  settings: Settings,
): Promise<void> {
  if (create) await createDatabase(settings.database, databaseOptions(settings))
  if (newReplayFile) await replaceReplayFile(settings.database)
}

async function openSourceApp(
  source: Source,
  served: readonly ProviderOperationId[],
  settings: Settings,
  tls: TlsOptions | undefined,
  telemetry: EmbeddedTelemetry,
): Promise<HttpApp> {
  const { log, tracing } = telemetry
  const { timeZone, accountVersion, shutdownTimeout } = settings
  const reads = toProviderReads(source)
  const store = tracing ? tracing.traceQueries(reads) : reads
  const all = respondFromStore({ store, timeZone, accountVersion }, clock)
  const responders = Object.fromEntries(served.map((id) => [id, all[id]]))
  const { app } = await openVerifiedProvider(settings, telemetry, tls, {
    responders,
    close: async () => {},
  })
  shutDownGracefully(app, () => shutdownTimeout * 1000, log)
  warnOfLowDescriptorLimit(settings, log)
  if (tls) logCertificate(log, tls, 'certificate in use')
  logFailedHandshakes(log, app.server)
  await app.ready()
  log.info({ operations: served.map((id) => providerOperations[id].ref) }, 'source opened')
  return app
}

/** For a server that still passes requests after the provider was closed. */
function rejectRequest({ headers }: IncomingMessage, response: ServerResponse): void {
  const { status, message } = errorTable.unavailable
  response.writeHead(status, {
    'content-type': jsonType,
    'retry-after': String(retryAfterDefaultSeconds),
    [interactionHeader]: resolveInteractionId(headers[interactionHeader]),
    connection: 'close',
  })
  response.end(JSON.stringify({ error: message }))
}

function readTlsOptions(settings: Settings): TlsOptions | undefined {
  try {
    return readTls(settings)
  } catch (error) {
    throw new TypeError(`createProvider: ${withOptionNames((error as Error).message)}`)
  }
}
