import type { Value } from '../sql.ts'

/** The statement that puts some rows, with a parameter for each column of each. */
export type Put = (rows?: number) => string

export type PutRow = readonly [Put, readonly Value[]]

/** Inserts rows. With a key, each replaces the row with the same key. */
export function definePut(table: string, others: string, key?: string): Put {
  const columns = (key === undefined ? others : `${key}, ${others}`).split(', ')
  const changes = others.split(', ').map((column) => `${column} = excluded.${column}`)
  const replace =
    key === undefined ? '' : `on conflict (${key}) do update set ${changes.join(', ')}`
  return (rows = 1) => {
    const values = Array.from({ length: rows }, (_, row) =>
      columns.map((_, index) => `$${row * columns.length + index + 1}`).join(),
    )
    return `insert into ${table} (${columns.join()}) values (${values.join('), (')}) ${replace}`
  }
}
