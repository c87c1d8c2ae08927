import pg from 'pg'
import { ProviderError } from '../../provider/error.ts'

/** A statement that every connection prepares once, under its name. */
export interface Statement {
  readonly name: string
  readonly text: string
}

type Value = string | number | bigint | boolean | readonly string[] | readonly number[] | null

/** Everything comes as the text that the database sends. */
const types = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig

/** Runs a statement, in one round trip. */
export async function rowsOf(
  pool: pg.Pool,
  { name, text }: Statement,
  values: readonly Value[],
): Promise<(string | null)[][]> {
  try {
    const result = await pool.query({ name, text, values: [...values], rowMode: 'array', types })
    return result.rows as (string | null)[][]
  } catch (error) {
    throw told(error)
  }
}

/** Between texts that come together. It stands in no JSON text as it is, and in no part of one. */
export const separator = '\u001e'
export const separatorSql = 'chr(30)'

export function separated(joined: string | null | undefined): string[] {
  return joined ? joined.split(separator) : []
}

/**
 * Classes of SQLSTATE that speak of the server and not of the statement: connection, access, resources,
 * somebody's order to stop, the system, a replica that had to catch up or takes no changes.
 */
const outages = /^(08|25006|28|3D|40|53|57|58|XX)/

/**
 * What went wrong, without a word of the data: a message of the database may repeat values. What is no
 * answer of the database at all is a connection that broke, or could not be had in time.
 */
export function told(error: unknown): Error {
  if (!(error instanceof pg.DatabaseError)) {
    return new ProviderError('unavailable', undefined, { cause: error })
  }
  const { code = '', table = '' } = error
  const cause = new Error(`the database said ${code} ${table}`.trimEnd())
  return outages.test(code) ? new ProviderError('unavailable', undefined, { cause }) : cause
}
