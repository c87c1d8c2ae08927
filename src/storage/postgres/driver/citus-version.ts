import type pg from 'pg'
import type { DatabaseOptions } from '../../database.ts'

/** The versions of Citus that the tests have run on. */
export const testedCitusVersions: readonly string[] = ['14.0']

/** Warns if the database has the extension in a version that Holdfast was never tested with. */
export async function warnOfUntestedCitus(
  client: pg.Pool | pg.ClientBase,
  { onWarning }: DatabaseOptions,
): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    `select extversion as version from pg_extension where extname = 'citus'`,
  )
  // The version of an extension is that of Citus and a number of its own, such as 14.0-1.
  const [version = ''] = rows[0]?.version.split('-') ?? []
  if (testedCitusVersions.includes(version)) return
  onWarning?.(
    `Holdfast was never tested with Citus ${version}: use ${testedCitusVersions.join(' or ')}, or test your operations on a copy first`,
  )
}
