import { setImmediate } from 'node:timers/promises'
import { type Cell, integer, type Sql } from '../sql.ts'

const step = { rows: integer, counted: integer, last: (cell: Cell) => cell }

/**
 * Counts rows in the order of a key, some at a time, as SQLite blocks the event loop. `select` are the numbers of the rows
 * that were read and counted, and the last key, of at most `rowsPerTurn` rows after the key $1.
 */
export async function countInSteps(
  { all, dialect }: Sql,
  select: string,
  first: Cell,
  now: Temporal.Instant,
): Promise<number> {
  for (let [total, last] = [0, first]; ; await setImmediate()) {
    const [found] = await all(step, select, [last, now])
    total += found?.counted ?? 0
    if (!found || found.rows < dialect.rowsPerTurn) return total
    last = found.last
  }
}
