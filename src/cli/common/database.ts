import type { Command } from 'commander'
import { databaseOptions } from '../../server/database-options.ts'
import type { SettingName } from '../../server/settings/settings.ts'
import type { Terminal } from '../../server/terminal.ts'
import type { DatabaseOptions } from '../../storage/database.ts'
import { type CommandSettings, readCommandSettings, type SettingFlags } from './setting-flags.ts'

/** The settings with which a command opens its database. */
export const databaseSettings = [
  'database',
  'databasePasswordFile',
  'databaseLayout',
  'databasePartitions',
] as const satisfies SettingName[]

/** For a command that does not create a database by default: a mistyped path must not become an empty database. */
export function addCreateFlag(command: Command): Command {
  return command.option('--create', 'create the database if it does not exist')
}

/**
 * Called before a command opens the database: creates it if `create` is set, and warns of files that other users can
 * access. Returns whether it created a file.
 */
export async function prepareDatabase(
  settings: CommandSettings,
  create: boolean,
  terminal: Terminal,
): Promise<boolean> {
  const { createDatabase, findLooseFiles } = await import('../../storage/open.ts')
  const isNew = create && (await createDatabase(settings.database, databaseOptions(settings)))
  const loose = await findLooseFiles(settings.database)
  if (loose.length > 0) {
    const files = loose.map(quoteForShell).join(' ')
    terminal.error(`warning: other users can access the data. To restrict it: chmod 600 ${files}\n`)
  }
  return isNew
}

export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

type Storage = typeof import('../../storage/open.ts')

export type StoreFlags = SettingFlags & { readonly create?: boolean }

/**
 * The present time by the clock that the processes on the database share, for what they compare with it: the clock of
 * the operator's machine may differ.
 */
export async function readNow({
  readTime,
}: {
  readTime?: () => Promise<Temporal.Instant>
}): Promise<Temporal.Instant> {
  return (await readTime?.()) ?? Temporal.Now.instant()
}

type OpenStore = (database: string, options: DatabaseOptions) => Promise<{ close(): Promise<void> }>

type StoreOpener =
  | 'openCatalogueStore'
  | 'openClientStore'
  | 'openConsentStore'
  | 'openFeedStore'
  | 'openProviderRecords'
  | 'openProviderStore'
  | 'openSigningKeyStore'
  | 'openUsageStore'

type Store<Opener extends StoreOpener> = Awaited<ReturnType<Storage[Opener]>>

/** Opens a store, calls `work` with it and closes it. */
export async function useStore<Opener extends StoreOpener, Result>(
  opener: Opener,
  settings: CommandSettings,
  work: (store: Store<Opener>) => Promise<Result>,
): Promise<Result> {
  const { [opener]: open } = await import('../../storage/open.ts')
  // Most commands read a page once.
  const options = { ...databaseOptions(settings), isMapped: false }
  const store = await (open as OpenStore)(settings.database, options)
  try {
    return await work(store as Store<Opener>)
  } finally {
    await store.close()
  }
}

/** Calls `work` with a store of the platform. Other flags than those of the database are ignored. */
export async function withStore<Opener extends StoreOpener, Result>(
  opener: Opener,
  flags: StoreFlags,
  terminal: Terminal,
  work: (store: Store<Opener>) => Promise<Result>,
): Promise<Result> {
  const settings = readCommandSettings('platform', flags, terminal)
  await prepareDatabase(settings, flags.create ?? false, terminal)
  return useStore(opener, settings, work)
}
