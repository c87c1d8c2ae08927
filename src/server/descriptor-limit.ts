import type { Logger } from 'pino'
import { readDescriptorLimit } from '../http/descriptors.ts'
import { httpLimits } from '../http/limits.ts'
import { poolNames } from '../storage/database.ts'
import type { Settings } from './settings/settings.ts'

/** Files of the program, the database and the log, and connections for keys, metrics and between processes. */
const reserve = 150

/** How many file descriptors each server process may need with these settings. */
export function countNeededDescriptors({
  databaseConnections = 0,
  upstreamConnections = 0,
}: Partial<Settings>): number {
  const database = poolNames.length * databaseConnections
  return httpLimits.connectionsMax + database + upstreamConnections + reserve
}

/** Warns if a process could run out of file descriptors before its limits on connections apply. */
export function warnOfLowDescriptorLimit(settings: Partial<Settings>, log: Logger): void {
  const limit = readDescriptorLimit()
  const needed = countNeededDescriptors(settings)
  if (limit === undefined || limit >= needed) return
  log.warn(
    { limit, needed },
    'the limit of open files is lower than the connections that a process accepts: raise it (LimitNOFILE of the unit, or ulimit -n)',
  )
}
