import type { Value } from '../sql.ts'

export interface Put {
  readonly table: string
  readonly columns: string
  readonly replace: string
  /** The statement for one row, with a parameter for each column. */
  readonly text: string
}

export type PutRow = readonly [Put, readonly Value[]]

/** Inserts a row. With a key, it replaces the row with the same key. */
export function definePut(table: string, others: string, key?: string): Put {
  const columns = key === undefined ? others : `${key}, ${others}`
  const parameters = columns.split(', ').map((_, index) => `$${index + 1}`)
  const changes = others.split(', ').map((column) => `${column} = excluded.${column}`)
  const replace =
    key === undefined ? '' : `on conflict (${key}) do update set ${changes.join(', ')}`
  const values = `values (${parameters.join(', ')})`
  return {
    table,
    columns,
    replace,
    text: `insert into ${table} (${columns}) ${values} ${replace}`,
  }
}
