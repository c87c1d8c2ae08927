import { Command } from 'commander'
import { abortOnSignal } from '../server/signals.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { databaseSettings, prepareDatabase } from './common/database.ts'
import { addSettingFlags, readCommandSettings } from './common/setting-flags.ts'

interface Flags {
  readonly force?: boolean
  readonly database?: string
}

export function backupCommand(terminal: Terminal): Command {
  const command = new Command('backup')
    .summary('copy a SQLite database and its replay file while they are in use')
    .description(
      'Writes a consistent copy of a SQLite database to FILE and of its replay records to FILE-replay, and prints both paths. Servers and loads can continue meanwhile. To restore, stop the server and replace the files of the database with both copies.',
    )
    .argument('<file>', 'the copy to write')
    .option('--force', 'overwrite an existing copy')
    .addHelpText('after', '\nExample: holdfast backup /var/backups/holdfast/bank.db')
  return addSettingFlags(command, 'provider', databaseSettings).action(
    (file: string, flags: Flags) =>
      abortOnSignal((signal) => backUp(file, flags, signal, terminal)),
  )
}

async function backUp(
  file: string,
  { force = false, ...flags }: Flags,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<void> {
  const settings = readCommandSettings('provider', flags, terminal)
  const { backupDatabase, isPostgres } = await import('../storage/open.ts')
  if (isPostgres(settings.database)) {
    throw new CommandError(
      2,
      'backup supports SQLite only: back up PostgreSQL with pg_dump or pg_basebackup',
    )
  }
  await prepareDatabase(settings, false, terminal)
  const showStatus = (text: string) => terminal.isInteractive && terminal.status(text)
  try {
    const written = await backupDatabase(settings.database, file, {
      force,
      signal,
      onProgress: (name, share) => showStatus(`${name} ${Math.floor(share * 100)} %`),
    })
    showStatus('')
    for (const name of written) terminal.out(`${name}\n`)
  } catch (error) {
    showStatus('')
    if (!signal.aborted) throw error
    throw new CommandError(1, 'stopped: no backup was written')
  }
}
