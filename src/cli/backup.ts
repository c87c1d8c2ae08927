import { Command } from 'commander'
import { stopSignals } from '../server/signals.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { databaseSettings, prepareDatabase } from './database.ts'
import { addSettingFlags, settingsOf } from './settings-command.ts'

interface Options {
  readonly force?: boolean
  readonly database?: string
}

export function backupCommand(terminal: Terminal): Command {
  const command = new Command('backup')
    .summary('copy the database and its replay file while they are in use')
    .description(
      'Writes a consistent copy of a SQLite database to FILE, and of the record of used tokens to FILE-replay. Servers and loads go on meanwhile. To restore, stop the server and put both files in the place of the database.',
    )
    .argument('<file>', 'the copy to write')
    .option('--force', 'replace the copy if it exists')
    .addHelpText('after', '\nExample: holdfast backup /var/backups/holdfast/bank.db')
  return addSettingFlags(command, databaseSettings).action((file: string, options: Options) =>
    run(file, options, terminal),
  )
}

async function run(
  file: string,
  { force = false, ...flags }: Options,
  terminal: Terminal,
): Promise<void> {
  const settings = settingsOf('demo', flags, terminal)
  const { backupDatabase, isPostgres } = await import('../storage/open.ts')
  if (isPostgres(settings.database)) {
    throw new CommandError(
      2,
      'backup copies SQLite databases: back PostgreSQL up with pg_dump or pg_basebackup',
    )
  }
  await prepareDatabase(settings, false, terminal)
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  for (const signal of stopSignals) process.once(signal, stop)
  const show = (text: string) => terminal.isInteractive && terminal.error(`\r\u001b[K${text}`)
  try {
    const written = await backupDatabase(settings.database, file, {
      force,
      signal: stopping.signal,
      onProgress: (name, share) => show(`${name} ${Math.floor(share * 100)} %`),
    })
    show('')
    for (const name of written) terminal.out(`${name}\n`)
  } catch (error) {
    show('')
    if (!stopping.signal.aborted) throw error
    throw new CommandError(1, 'stopped: no backup was written')
  } finally {
    for (const signal of stopSignals) process.off(signal, stop)
  }
}
