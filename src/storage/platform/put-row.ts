import type { Value } from '../sql.ts'

/** Inserts a row, or replaces the one with the same key. */
export interface Put {
  readonly table: string
  readonly columns: string
  readonly replace: string
  /** The statement for one row, with a parameter for each column. */
  readonly text: string
}

/** A row to put, with its values in the order of the columns. */
export type PutRow = readonly [Put, readonly Value[]]

export function definePut(table: string, key: string, others: string): Put {
  const columns = `${key}, ${others}`
  const parameters = columns.split(', ').map((_, index) => `$${index + 1}`)
  const changes = others.split(', ').map((column) => `${column} = excluded.${column}`)
  const replace = `on conflict (${key}) do update set ${changes.join(', ')}`
  const values = `values (${parameters.join(', ')})`
  return {
    table,
    columns,
    replace,
    text: `insert into ${table} (${columns}) ${values} ${replace}`,
  }
}
