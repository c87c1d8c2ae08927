/** The rows of a query in groups, through a cursor of the transaction: there may be many, or one may be megabytes long. */
export async function* readGroups<Row>(
  client: { query(sql: string): Promise<{ readonly rows: unknown[] }> },
  sql: string,
  size: number,
  cursor = 'each_row',
): AsyncGenerator<Row[]> {
  await client.query(`declare ${cursor} no scroll cursor for ${sql}`)
  let rows: Row[]
  do {
    rows = (await client.query(`fetch ${size} from ${cursor}`)).rows as Row[]
    if (rows.length > 0) yield rows
  } while (rows.length === size)
  await client.query(`close ${cursor}`)
}
