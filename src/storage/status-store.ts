import type { countNames } from '../contract/index.ts'
import type { Feed } from '../intake/feed-writer.ts'
import { type Counts, lineOutcomes } from '../intake/line-counts.ts'
import { replaceColumns } from './sql.ts'

export type CountName = (typeof countNames)[number]

/** How much a database contains, for people. */
export interface StatusStore {
  /**
   * Counts without blocking the process, which may take long. Undefined if the database role may not count them. A count
   * while a load commits may include a part of it.
   */
  count(name: CountName, now: Temporal.Instant): Promise<number | undefined>
  read(): Promise<{ readonly feeds: readonly Feed[]; readonly lastLoad: LastLoad | undefined }>
  /** Counts in progress fail. */
  close(): Promise<void>
}

/** The last load, of which several transactions may have been committed. */
export interface LastLoad extends Counts {
  /** Milliseconds since 1970. */
  readonly committed: number
}

/** Records a commit of a load and the lines of all its commits. */
export const recordLoad = `
  insert into recent_load values ($1, $2, $3, $4, $5, $6)
  on conflict (time) do update set ${replaceColumns(['committed', ...lineOutcomes])}`

/** Deletes the oldest rows of `recent_load` or `recent_start`, of which a bounded number is kept. */
export const forgetOldest = (table: 'recent_load' | 'recent_start', time: 'time' | 'minute') =>
  `delete from ${table} where ${time} <
     (select min(${time}) from (select ${time} from ${table} order by ${time} desc limit ${recentMax}) as kept)`

const recentMax = 500

export const forgetOldLoads = forgetOldest('recent_load', 'time')

/** The values of the statement. */
export function loadValues(loadTime: Temporal.Instant, committed: number, lines: Counts): number[] {
  return [loadTime.epochMilliseconds, committed, ...lineOutcomes.map((outcome) => lines[outcome])]
}
