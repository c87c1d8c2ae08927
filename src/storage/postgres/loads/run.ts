/** Runs a statement in the transaction of the merge. */
export type Run = (
  sql: string,
  values?: unknown[],
  // biome-ignore lint/suspicious/noExplicitAny: the statement determines the columns
) => Promise<{ readonly rows: any[]; readonly rowCount: number | null }>
