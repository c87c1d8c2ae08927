import type { DatabaseOptions } from '../storage/database.ts'
import type { Settings } from './settings/settings.ts'

/** The name of warnings about the database. */
export const warningType = 'HoldfastWarning'

export function databaseOptions(settings: Partial<Settings>): DatabaseOptions {
  return {
    passwordFile: settings.databasePasswordFile,
    connections: settings.databaseConnections,
    layout: settings.databaseLayout,
    partitions: settings.databasePartitions,
    replica: settings.databaseReplica,
    replicaLagMax: settings.replicaLagMax,
    onWarning: warnOnce,
  }
}

const warnings = new Set<string>()

/** A process opens several pools on its database. Node prints the warning, and a server also logs it. */
function warnOnce(message: string): void {
  if (warnings.has(message)) return
  warnings.add(message)
  process.emitWarning(message, { type: warningType })
}
