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
  const names = Object.keys(all[0] ?? {})
  const start = texts.getOrInsertComputed(`${table} ${names} ${all.length}`, () => {
    const places = all.map((_, row) =>
      names.map((_, index) => `$${row * names.length + index + 1}`),
    )
    return `insert into ${table} (${names.map(toColumn)}) values (${places.join('), (')})`
  })
  return [`${start} ${onConflict}`, all.flatMap((row) => Object.values(row))]
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
  const names = Object.keys(row)
  const replace = texts.getOrInsertComputed(`${key} of ${names}`, () => {
    const changes = names.filter((name) => !key.includes(name)).map(toColumn)
    return `on conflict (${key.map(toColumn)}) do update set ${replaceColumns(changes)}`
  })
  return insert(table, rows, replace)
}

/** Parts of statements by what they are made from, as few as the places that make them. */
const texts = new Map<string, string>()
