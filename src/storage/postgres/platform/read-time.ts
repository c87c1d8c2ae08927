import type pg from 'pg'
import { runStatement } from '../driver/statements.ts'

const select = {
  name: 'read-time',
  text: 'select (extract(epoch from clock_timestamp()) * 1000)::bigint',
}

/** The clock of the database server. */
export async function readTime(pool: pg.Pool): Promise<Temporal.Instant> {
  const [[time] = []] = await runStatement(pool, select, [])
  return Temporal.Instant.fromEpochMilliseconds(Number(time))
}
