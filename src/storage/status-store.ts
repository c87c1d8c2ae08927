import type { countNames } from '../contract/index.ts'
import type { Feed } from '../intake/feed-writer.ts'
import { type Counts, lineOutcomes } from '../intake/line-counts.ts'
import { insert } from './platform/rows.ts'
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

const replaceLoad = `on conflict (time)
  do update set ${replaceColumns(['committed', ...lineOutcomes])}`

/** Records a commit of a load and the lines of all its commits. */
export function recordLoad(loadTime: Temporal.Instant, committed: number, lines: Counts) {
  const counts = Object.fromEntries(lineOutcomes.map((outcome) => [outcome, lines[outcome]]))
  const row = { time: loadTime.epochMilliseconds, committed, ...counts }
  return insert('recent_load', row, replaceLoad)
}

/** Deletes the oldest rows of `recent_load` or `recent_start`, of which a bounded number is kept. */
export const forgetOldest = (table: 'recent_load' | 'recent_start', time: 'time' | 'minute') =>
  `delete from ${table} where ${time} <
     (select min(${time}) from (select ${time} from ${table} order by ${time} desc limit ${recentMax}) as kept)`

const recentMax = 500

export const forgetOldLoads = forgetOldest('recent_load', 'time')
