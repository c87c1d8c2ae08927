import { type Columns, replaceColumns, type Value } from '../sql.ts'

/** Values by the names of their columns, in camel case. */
type StoredRow = Readonly<Record<string, Value>>

/** Rows of one table, all with the same properties in the same order. */
type Rows = StoredRow | readonly StoredRow[]

type InsertCall = [text: string, values: Value[]]

/** The list of the columns that properties are named after. */
export function columnsOf(row: Columns | StoredRow): string {
  return Object.keys(row).map(toColumn).join(', ')
}

const toColumn = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export function insert(table: string, rows: Rows, onConflict = ''): InsertCall {
  const all = [rows].flat() as StoredRow[]
  const values = all.flatMap((row) => Object.values(row))
  const width = values.length / all.length
  const places = all.map((_, row) =>
    Array.from({ length: width }, (_, index) => `$${row * width + index + 1}`).join(),
  )
  const columns = columnsOf(all[0] ?? {})
  return [`insert into ${table} (${columns}) values (${places.join('), (')}) ${onConflict}`, values]
}

/** A row that replaces the one with the same key. Without a key, it is inserted. */
export interface PutRow {
  readonly table: string
  readonly key?: readonly string[]
  readonly row: StoredRow
}

/** Puts a row, with others of its table. */
export function putRow({ table, key, row }: PutRow, others: readonly PutRow[] = []): InsertCall {
  const rows = [row, ...others.map((other) => other.row)]
  if (!key) return insert(table, rows)
  const changes = Object.keys(row).filter((name) => !key.includes(name))
  const replace = replaceColumns(changes.map(toColumn))
  return insert(table, rows, `on conflict (${key.map(toColumn)}) do update set ${replace}`)
}
