import type { Logger } from 'pino'
import { ContractError } from '../contract/errors.ts'
import type { HttpApp } from '../http/app.ts'
import type { FileWatch } from '../storage/database.ts'

/** Logs when files of the database are deleted or replaced, and when they are restored. */
export async function watchDatabaseFiles(
  database: string,
  role: 'provider' | 'platform' | 'intake',
  log: Logger,
): Promise<FileWatch> {
  const { openFileWatch } = await import('../storage/open.ts')
  return openFileWatch(database, role, (files) => {
    if (files.length === 0) log.warn('the database files were restored: requests are served again')
    else {
      log.error(
        { files },
        'database files were deleted or replaced: every request gets a 503 until they are restored or the server is restarted',
      )
    }
  })
}

/** The readiness probe. */
export async function probeFiles(files: FileWatch): Promise<void> {
  if (!files.isIntact()) throw filesLost
}

/** Rejects requests while the open files are not the ones that other processes see. */
export function rejectWithoutFiles(app: HttpApp, files: FileWatch): void {
  app.addHook('onRequest', (request, _reply, done) => {
    // Fastify creates the options of a route whenever they are read.
    if (files.isIntact()) return done()
    const { health, worksWithoutDatabase } = request.routeOptions.config
    done(health !== undefined || worksWithoutDatabase ? undefined : filesLost)
  })
  app.addHook('onClose', async () => files.close())
}

const filesLost = new ContractError('unavailable', 'a database file was deleted or replaced')
