import type { DatabaseSync } from 'node:sqlite'
import { purgeMax } from '../../../../platform/consent/store.ts'
import { command } from '../../driver/statements.ts'

/** A command that deletes some rows whose time has passed. */
export function createPurge(database: DatabaseSync, table: string, key: string, time: string) {
  return command(
    database,
    `delete from ${table} where (${key}) in (
      select ${key} from ${table} where ${time} <= ? order by ${time} limit ${purgeMax})`,
  )
}
