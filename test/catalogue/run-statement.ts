import { DatabaseSync } from 'node:sqlite'
import { currentEngine, runSql } from '../support/engines.ts'

/** Runs a statement on the database of a platform, beside it. */
export async function runStatement(
  { database }: { readonly database: string },
  sql: string,
): Promise<unknown[][]> {
  if (currentEngine() === 'postgres') return runSql(sql, database)
  const file = new DatabaseSync(database.slice('sqlite:'.length))
  try {
    return file.prepare(sql).all().map(Object.values)
  } finally {
    file.close()
  }
}
