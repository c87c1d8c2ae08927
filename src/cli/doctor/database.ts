import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { databaseOptions } from '../../server/database-options.ts'
import {
  isPostgres,
  openDatabaseProbe,
  openSigningKeyStore,
  requireUsableReplayFile,
  sqlitePath,
} from '../../storage/open.ts'
import { examinePart, type Finding, ok, problem, warning } from './finding.ts'
import type { DoctorRole, DoctorSettings } from './options.ts'

/** A server needs as much for a commit to a small database. */
const freeBytesMin = 64 * 1024 * 1024

const mebibyte = 1024 * 1024

export function examineDatabase(
  role: DoctorRole,
  settings: DoctorSettings,
): Promise<readonly Finding[]> {
  return examinePart('database', async () => {
    const { database } = settings
    if (database === undefined) return []
    const isReader = role === 'provider' || role === 'guard'
    const use = isReader ? 'read' : 'write'
    const options = databaseOptions(settings)
    // As a server does, which says why it cannot use a database: the probe is for one that it has opened.
    await (await openSigningKeyStore(database, options)).close()
    // Only servers that answer requests record which tokens were used.
    if (isReader) await requireUsableReplayFile(database)
    const probe = await openDatabaseProbe(database, use, options)
    try {
      await probe.test()
    } finally {
      await probe.close()
    }
    return [ok('database', `${isReader ? 'readable' : 'writable'}, with the current tables`)]
  })
}

/** Of the disk of a SQLite file. */
export function examineDisk({ database }: DoctorSettings): Promise<readonly Finding[]> {
  return examinePart('disk', async () => {
    if (database === undefined || isPostgres(database)) return []
    const path = sqlitePath(database)
    const folder = findExistingFolder(path)
    const { bavail, bsize } = statfsSync(folder)
    const free = bavail * bsize
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    const text = `${formatMebibytes(free)} MiB free in ${folder}, for a database of ${formatMebibytes(size)} MiB`
    if (free < freeBytesMin) return [problem('disk', text, 'Free space, or move the database.')]
    if (free < size) {
      const advice = 'Free space: a load of the whole data needs as much as the database.'
      return [warning('disk', text, advice)]
    }
    return [ok('disk', text)]
  })
}

function findExistingFolder(path: string): string {
  const folder = dirname(path)
  const stats = statSync(folder, { throwIfNoEntry: false })
  return stats || folder === path ? folder : findExistingFolder(folder)
}

function formatMebibytes(bytes: number): string {
  return Math.round(bytes / mebibyte).toLocaleString('en')
}
