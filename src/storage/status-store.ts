import type { countNames } from '../contract/index.ts'
import type { Feed } from '../intake/feed-writer.ts'
import type { Counts } from '../intake/line-counts.ts'

export type CountName = (typeof countNames)[number]

/** How much a database contains, for people. */
export interface StatusStore {
  /**
   * Counts without blocking the process, which may take long. Undefined if the database role may not count them. A count
   * while a load commits may include a part of it.
   */
  count(name: CountName, now: Temporal.Instant): Promise<number | undefined>
  read(): Promise<LoadStatus>
  /** Counts in progress fail. */
  close(): Promise<void>
}

export interface LoadStatus {
  readonly feeds: readonly Feed[]
  readonly lastLoad: LastLoad | undefined
}

/** The last load, of which several transactions may have been committed. */
export interface LastLoad extends Counts {
  /** Milliseconds since 1970. */
  readonly committed: number
}

/**
 * Records a commit of a load. The values are its load time, the time of the commit, and the numbers of created, changed,
 * unchanged and deleted lines of the whole load so far: of concurrent loads, the last one to commit is recorded.
 */
export const recordLoad = (parameters: readonly string[]) => `
  insert into last_load values (1, ${parameters.join(', ')})
  on conflict (singleton) do update set ${[
    'time',
    'committed',
    'created',
    'changed',
    'unchanged',
    'deleted',
  ]
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`

/** The values of the statement. */
export function loadValues(
  loadTime: Temporal.Instant,
  committed: number,
  { created, changed, unchanged, deleted }: Counts,
): number[] {
  return [loadTime.epochMilliseconds, committed, created, changed, unchanged, deleted]
}

export const noLines: Counts = { created: 0, changed: 0, unchanged: 0, deleted: 0 }

/** The sum of the counts of earlier commits and of the types of line in this one. */
export function addCounts(earlier: Counts, counts: Iterable<Counts>): Counts {
  const total = { ...earlier }
  for (const { created, changed, unchanged, deleted } of counts) {
    total.created += created
    total.changed += changed
    total.unchanged += unchanged
    total.deleted += deleted
  }
  return total
}
