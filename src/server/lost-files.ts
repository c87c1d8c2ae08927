import type { Logger } from 'pino'
import { ContractError } from '../contract/index.ts'
import type { HttpApp } from '../http/app.ts'
import type { FileWatch } from '../storage/database.ts'

/** Watches the files of the database for as long as the server runs. */
export async function watchDatabaseFiles(
  database: string,
  role: 'provider' | 'platform',
  log: Logger,
): Promise<FileWatch> {
  const { openFileWatch } = await import('../storage/open.ts')
  return openFileWatch(database, role, (files) => {
    if (files.length === 0) log.warn('the database files are back: requests are answered again')
    else {
      log.error(
        { files },
        'database files were deleted or replaced: every request is a 503 until they are back or the server is restarted',
      )
    }
  })
}

/** For readiness. */
export async function checkFiles(files: FileWatch): Promise<void> {
  if (!files.isIntact()) throw lostFiles
}

/** Nothing is answered from files that other processes no longer see. */
export function refuseWithoutFiles(app: HttpApp, files: FileWatch): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const isProbe = request.routeOptions.config.probe !== undefined
    done(isProbe || files.isIntact() ? undefined : lostFiles)
  })
  app.addHook('onClose', async () => files.close())
}

const lostFiles = new ContractError('unavailable', 'a database file was deleted or replaced')
