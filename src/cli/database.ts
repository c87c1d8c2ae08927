import type { Command } from 'commander'
import { databaseOptions } from '../server/database-options.ts'
import type { Terminal } from '../server/terminal.ts'
import type { SettingName, Settings } from '../settings/settings.ts'

/** The settings by which a command finds its database. */
export const databaseSettings = [
  'database',
  'databasePasswordFile',
  'databasePartitions',
] as const satisfies SettingName[]

/** For a command that does not create a database by itself: a mistyped path must not become an empty database. */
export function addCreateFlag(command: Command): Command {
  return command.option('--create', 'create the database if it does not exist')
}

/** Called before a command opens the database: creates it where the command may, and warns of files open to others. */
export async function prepareDatabase(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  create: boolean,
  terminal: Terminal,
): Promise<void> {
  const { createDatabase, findLooseFiles } = await import('../storage/open.ts')
  if (create) await createDatabase(settings.database, databaseOptions(settings))
  const loose = await findLooseFiles(settings.database)
  if (loose.length === 0) return
  const files = loose.map(quoted).join(' ')
  terminal.error(`warning: other users have access to the data. To end that: chmod 600 ${files}\n`)
}

/** As one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
