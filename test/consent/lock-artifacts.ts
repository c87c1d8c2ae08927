import pg from 'pg'
import { openDatabaseFile } from '../support/database-file.ts'
import { currentEngine, type Scope } from '../support/engines.ts'
import type { ConsentPlatform } from './platform.ts'

/** Makes changes of tokens and codes wait. Returns a function that ends this. */
export async function lockArtifacts(
  scope: Scope,
  { database }: Pick<ConsentPlatform, 'database'>,
): Promise<() => Promise<void>> {
  if (currentEngine() === 'sqlite') {
    const other = openDatabaseFile(database)
    scope.after(async () => other.close())
    other.exec('begin immediate')
    return async () => other.exec('rollback')
  }
  const other = new pg.Client({ connectionString: database })
  await other.connect()
  scope.after(() => other.end())
  await other.query('begin; lock table artifact in exclusive mode')
  return () => other.end()
}
