import { isPostgres } from '../../storage/open.ts'

/** A database in a message: an address without user, password and parameters. */
export function describeDatabase(database: string): string {
  if (!isPostgres(database)) return database
  const { protocol, host, pathname } = new URL(database)
  return `${protocol}//${host}${pathname}`
}
