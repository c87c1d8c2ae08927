import { earlierBuild, newerDatabase } from './database.ts'

/**
 * The version of a database with the first migration. Until the first release, it is raised with each change of that
 * migration, so that databases of earlier builds are rejected.
 */
const firstVersion = 113

/** The version of a database with all of the migrations. */
export function versionWith(migrations: readonly unknown[]): number {
  return firstVersion - 1 + migrations.length
}

/** The migrations that a database of the version lacks. Without tables, its version is 0. */
export function findMissing<Migration>(
  migrations: readonly Migration[],
  version: number,
): readonly Migration[] {
  if (version === 0) return migrations
  if (version < firstVersion) throw earlierBuild()
  if (version > versionWith(migrations)) throw newerDatabase()
  return migrations.slice(version - firstVersion + 1)
}
