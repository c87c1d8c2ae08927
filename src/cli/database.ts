import type { DatabaseOptions } from '../storage/database.ts'
import type { SettingName, Settings } from './settings.ts'

/** The settings by which a command finds its database. */
export const databaseSettings = [
  'database',
  'databasePasswordFile',
  'databasePartitions',
] as const satisfies SettingName[]

export function databaseOptions(settings: Partial<Settings>): DatabaseOptions {
  return {
    passwordFile: settings.databasePasswordFile,
    connections: settings.databaseConnections,
    partitions: settings.databasePartitions,
    replica: settings.databaseRead,
    lagMax: settings.databaseLagMax,
  }
}
