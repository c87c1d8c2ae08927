/** Runs a statement in the transaction of the merge, after the statements that were passed before it. */
export type Run = (
  sql: string,
  values?: unknown[],
  // biome-ignore lint/suspicious/noExplicitAny: the statement determines the columns
) => Promise<{ readonly rows: any[]; readonly rowCount: number | null }>

/** Sends a statement without a result. It may resolve before the statement has run: a failure then rejects the next `Run`. */
export type Send = (sql: string, values?: unknown[]) => Promise<unknown>

/** The rows of a query in groups, as there may be many, or one row may be megabytes long. */
export type ReadGroups = <Row extends object>(sql: string, size: number) => AsyncIterable<Row[]>
