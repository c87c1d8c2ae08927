import pg from 'pg'
import { DatabaseError } from '../../database.ts'

/** SQLSTATE insufficient_privilege. */
const insufficientPrivilege = '42501'

export function isDenied(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === insufficientPrivilege
}

/** Names the role and the privileges that it lacks. The server's message names the object and contains no data. */
export async function deniedError(
  connection: pg.Pool | pg.ClientBase,
  error: pg.DatabaseError,
): Promise<DatabaseError> {
  const { user } = connection instanceof pg.Pool ? connection.options : (connection as pg.Client)
  const [, table] = /\btable (\S+)$/.exec(error.message) ?? []
  const rights = table === undefined ? undefined : await missingRights(connection, table)
  const lacks = rights ? `lacks ${rights} on ${table}` : 'lacks a privilege'
  return new DatabaseError(
    `the database role ${user} ${lacks}: ${error.message} (docs/postgres-roles.sql grants what each command needs)`,
    { cause: error },
  )
}

/** Undefined if they cannot be determined. */
async function missingRights(
  connection: pg.Pool | pg.ClientBase,
  table: string,
): Promise<string | undefined> {
  const { rows } = await connection
    .query<{ rights: string | null }>(
      `select string_agg(p, ', ') as rights
       from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p
       where not has_table_privilege(to_regclass($1), p)`,
      [table],
    )
    .catch(() => ({ rows: [] }))
  return rows[0]?.rights ?? undefined
}
