import { isPostgres, sqlitePath } from '../../src/storage/open.ts'
import { createPostgresSchema } from '../../src/storage/postgres/driver/pool.ts'
import { migrations as ofPostgres } from '../../src/storage/postgres/driver/schema.ts'
import { createDatabase } from '../../src/storage/sqlite/driver/open.ts'
import { migrations as ofSqlite } from '../../src/storage/sqlite/driver/schema.ts'

/** Opens a database as a version of Holdfast would that has one more migration. */
export async function migrateWith(database: string, sql: string): Promise<void> {
  if (isPostgres(database)) {
    await createPostgresSchema(database, { partitions: 2 }, [...ofPostgres, () => sql])
  } else {
    createDatabase(sqlitePath(database), [...ofSqlite, sql])
  }
}

if (import.meta.main) {
  const [, , database = '', sql = ''] = process.argv
  await migrateWith(database, sql)
}
