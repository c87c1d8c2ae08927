import type { countNames } from '../contract/index.ts'
import type { Feed } from '../load/feed-writer.ts'
import type { Counts } from '../load/line-counts.ts'

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
  readonly lastLoad: LoadSummary | undefined
}

/** The last load, of which several transactions may have been committed. */
export interface LoadSummary extends Counts {
  /** Milliseconds since 1970. */
  readonly committed: number
}

/**
 * Records a commit of a load. The values are its load time, which identifies it, the time of the commit, and the
 * numbers of created, changed, unchanged and deleted lines. The commits of one load are added up.
 */
export const recordLoad = (parameters: readonly string[]) => `
  insert into last_load as last values (1, ${parameters.join(', ')})
  on conflict (singleton) do update set
    time = excluded.time, committed = excluded.committed,
    ${['created', 'changed', 'unchanged', 'deleted']
      .map(
        (name) =>
          `${name} = excluded.${name} + case when last.time = excluded.time then last.${name} else 0 end`,
      )
      .join(', ')}`

/** The values of the statement. */
export function loadValues(
  loadTime: Temporal.Instant,
  committed: number,
  counts: Iterable<Counts>,
): number[] {
  const total = { created: 0, changed: 0, unchanged: 0, deleted: 0 }
  for (const { created, changed, unchanged, deleted } of counts) {
    total.created += created
    total.changed += changed
    total.unchanged += unchanged
    total.deleted += deleted
  }
  return [loadTime.epochMilliseconds, committed, ...Object.values(total)]
}
