import { openDatabaseFile } from '../support/database-file.ts'
import { currentEngine, runSql } from '../support/engines.ts'

/** The rows of a statement. Whole numbers are numbers on both engines. */
export async function readRows(database: string, statement: string): Promise<unknown[][]> {
  if (currentEngine() === 'postgres') {
    return (await runSql(statement, database)).map((row) => row.map(toNumber))
  }
  const file = openDatabaseFile(database)
  try {
    return file
      .prepare(statement)
      .all()
      .map((row) => Object.values(row))
  } finally {
    file.close()
  }
}

const toNumber = (cell: unknown) => (/^\d+$/.test(String(cell)) ? Number(cell) : cell)

/** A line for each kind of calls. */
export async function readCounts(database: string): Promise<string[]> {
  const rows = await readRows(
    database,
    `select operation, tier, status, rejection, third_party, is_present, sum(calls)
     from usage_count where span = 'day'
     group by operation, tier, status, rejection, third_party, is_present
     order by operation, tier, status, rejection`,
  )
  return rows.map(([operation, tier, status, rejection, thirdParty, isPresent, calls]) => {
    const presence = [1, true, 't'].includes(isPresent as never)
    return [operation, tier, status, rejection, thirdParty, presence, calls].join(' ')
  })
}

/** How many calls lines are of. */
export function countCalls(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** A zone in which it is about noon, so that no day ends during the test. */
export function noonZone(): string {
  const offset = 12 - new Date().getUTCHours()
  return offset === 0 ? 'UTC' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`
}
