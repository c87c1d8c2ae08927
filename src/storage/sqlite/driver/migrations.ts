import type { DatabaseSync } from 'node:sqlite'
import { addedColumns } from '../../owner-and-origin.ts'
import { statements } from './schema.ts'

/** A column may exist, since an earlier Holdfast that has the database open writes its lower version. */
function addColumns(database: DatabaseSync): void {
  const find = database.prepare('select 1 from pragma_table_info(?) where name = ?')
  for (const { table, column } of addedColumns) {
    if (!find.get(table, column)) database.exec(`alter table ${table} add column ${column} text`)
  }
}

export const migrations: readonly ((database: DatabaseSync) => void)[] = [
  ...statements.map((sql) => (database: DatabaseSync) => database.exec(sql)),
  addColumns,
]
