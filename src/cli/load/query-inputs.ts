import { readFileSync, statSync } from 'node:fs'
import type { RowSource } from '../../intake/rows.ts'
import { CommandError } from '../../server/terminal.ts'
import { isPostgres } from '../../storage/open.ts'

const queryBytesMax = 1024 * 1024

/** Opens the rows of queries on a PostgreSQL database. */
export async function openQueries(
  url: string | undefined,
  files: readonly string[],
): Promise<RowSource[]> {
  if (url === undefined) {
    throw new CommandError(2, '--query needs --from or HOLDFAST_LOAD_FROM, the database to query')
  }
  if (!isPostgres(url) || !URL.canParse(url)) {
    throw new CommandError(2, '--from must be postgres://USER@HOST/NAME')
  }
  const queries = files.map((file) => ({ file, sql: readQuery(file) }))
  const { createQueryRows } = await import('./query-rows.ts')
  return createQueryRows(url, queries)
}

function readQuery(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile()) throw new CommandError(2, `${file}: file not found`)
  if (stats.size > queryBytesMax) {
    throw new CommandError(2, `${file} must be at most ${queryBytesMax} bytes long`)
  }
  return readFileSync(file, 'utf8')
}
