import { purgeMax } from '../../../../platform/consent/store.ts'

/**
 * A statement that deletes some rows whose time has passed. It runs after another statement of its transaction and skips
 * locked rows, so a transaction never waits for a row while it holds others, which would be a deadlock if two did.
 */
export function createPurge(table: string, key: string, time: string) {
  return {
    name: `purge-${table}`,
    text: `delete from ${table} where (${key}) in (
      select ${key} from ${table} where ${time} <= $1 order by ${time} limit ${purgeMax}
      for update skip locked)`,
  }
}
