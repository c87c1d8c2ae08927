import type { TlsOptions } from 'node:tls'
import { ContractError } from '../contract/errors.ts'
import type { HttpApp } from '../http/app.ts'
import type { FeedWriter } from '../intake/feed-writer.ts'
import { DatabaseError } from '../storage/database.ts'
import { createClientAppOptions } from './client-app-options.ts'
import { clock } from './clock.ts'
import { watchDataNodes } from './data-node-watch.ts'
import { rejectWithoutFiles, watchDatabaseFiles } from './database-files.ts'
import { databaseOptions } from './database-options.ts'
import type { Settings } from './settings/settings.ts'
import type { Telemetry } from './telemetry.ts'

/** How long a commit waits for a load. The sender is then asked to retry, before its own timeout ends the request. */
const loadWaitMs = 20_000

/** How long an aborted commit may take to end, on a server that does not respond. */
const abortMs = 500

/** How long before the end of the shutdown timeout a commit stops waiting for a load, so that it is still answered. */
const answerMs = abortMs + 500

/** Opens the stores of the intake and its server, which does not listen yet. */
export async function openIntake(
  settings: Pick<Settings, 'database' | 'shutdownTimeout'> & Partial<Settings>,
  telemetry: Telemetry,
  tls?: TlsOptions,
): Promise<HttpApp> {
  const { isPostgres, openClientStore, openDatabaseProbe, openFeedStore, openFeedWriter } =
    await import('../storage/open.ts')
  const { openIntakeApp } = await import('../http/intake-app.ts')
  const { openAccess } = await import('../auth/access.ts')
  const { withoutDemoClient } = await import('../auth/demo-client.ts')
  const { openBatches } = await import('../intake/batches.ts')
  const { commitLimits, limitsOnThread } = await import('../intake/commit-queue.ts')
  const { log, metrics, tracing } = telemetry
  const { database, shutdownTimeout } = settings
  const options = { ...databaseOptions(settings), onPool: metrics?.watchPool }
  const stopping = new AbortController()
  const waiting = {
    onWait: () => log.info('batches wait for a load to end'),
    signal: stopping.signal,
    waitMaxMs: loadWaitMs,
  }
  const writer = reportUnavailable(
    await openFeedWriter(database, { clock, ...waiting }, { ...options, abortMs }),
  )
  const feeds = await openFeedStore(database, options)
  const clients = withoutDemoClient(await openClientStore(database, options))
  const probe = await openDatabaseProbe(database, 'write', options)
  const files = await watchDatabaseFiles(database, 'intake', log)
  const access = openAccess(clients, clock)
  const limits = isPostgres(database) ? commitLimits : limitsOnThread
  const batches = openBatches(tracing ? tracing.traceQueries(writer) : writer, metrics, limits)
  metrics?.watchFeeds(feeds.list, clock)
  // The intake is one process, whatever the setting for the other servers is.
  const shared = await createClientAppOptions({ ...settings, workers: 1 }, telemetry, {
    access,
    probe,
    files,
    tls,
  })
  const app = openIntakeApp({
    ...shared,
    readiness: [...(shared.readiness ?? []), watchDataNodes(probe, log, metrics)],
    batches,
    feeds: tracing ? tracing.traceQueries(feeds) : feeds,
    clock,
  })
  rejectWithoutFiles(app, files)
  app.addHook('preClose', async () => {
    setTimeout(() => stopping.abort(), shutdownTimeout * 1000 - answerMs).unref()
  })
  app.addHook('onClose', async () => {
    stopping.abort()
    await batches.close()
    await probe.close()
    await clients.close()
    await feeds.close()
    await writer.close()
  })
  return app
}

/** A database that cannot be used now, and a wait that the shutdown ended, are reasons to retry. */
function reportUnavailable(writer: FeedWriter): FeedWriter {
  const toAnswer = (error: unknown): never => {
    const { name } = error as Error
    const isTemporary = error instanceof DatabaseError || name === 'AbortError'
    if (!isTemporary) throw error
    throw new ContractError('unavailable', (error as Error).message, { cause: error })
  }
  return {
    ...writer,
    findOutcome: (batch) => writer.findOutcome(batch).catch(toAnswer),
    commit: (batches) => writer.commit(batches).catch(toAnswer),
  }
}
