import type { DatabaseOptions } from '../storage/database.ts'
import type { Settings } from './settings/settings.ts'

export function databaseOptions(settings: Partial<Settings>): DatabaseOptions {
  return {
    passwordFile: settings.databasePasswordFile,
    connections: settings.databaseConnections,
    layout: settings.databaseLayout,
    partitions: settings.databasePartitions,
    replica: settings.databaseReplica,
    replicaLagMax: settings.replicaLagMax,
  }
}
