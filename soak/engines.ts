/** SQLite, PostgreSQL, and PostgreSQL with the layout `citus`, which requires a cluster. */
export const engines = ['sqlite', 'postgres', 'citus'] as const
export type Engine = (typeof engines)[number]
