import { purgeMax } from '../../../platform/consent/store.ts'
import type { Call, Dialect } from '../../sql.ts'

/**
 * Deletes some rows whose time has passed. It runs after another statement of its transaction and skips locked rows, so
 * a transaction never waits for a row while it holds others, which would be a deadlock if two did.
 */
export function purgeExpired(
  { skipLocked }: Dialect,
  { table, key, time }: { readonly table: string; readonly key: string; readonly time: string },
  before: number,
): Call {
  const expired = `select ${key} from ${table} where ${time} <= $1 order by ${time}`
  return [
    `delete from ${table} where (${key}) in (${expired} limit ${purgeMax} ${skipLocked})`,
    [before],
  ]
}
