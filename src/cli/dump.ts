import { Command } from 'commander'
import { databaseOptions } from '../server/database-options.ts'
import { CommandError, isExpected, type Terminal } from '../server/terminal.ts'
import { addCreateFlag, databaseSettings, prepareDatabase } from './common/database.ts'
import { addSettingFlags, readCommandSettings } from './common/setting-flags.ts'
import { writeLines } from './common/write-lines.ts'

export function dumpCommand(terminal: Terminal): Command {
  const command = new Command('dump')
    .summary('export all data as NDJSON')
    .description(
      'Writes all data of the database to standard output as NDJSON for holdfast load, for example to move it to another database. The order depends only on the content. Replay records are not included: to copy a SQLite database with them, use holdfast backup.',
    )
    .addHelpText(
      'after',
      '\nExample: holdfast dump | holdfast load - --database postgres://holdfast_load@db.example/bank',
    )
  return addSettingFlags(addCreateFlag(command), 'provider', databaseSettings).action(
    async ({ create = false, ...options }: { database?: string; create?: boolean }) => {
      const settings = readCommandSettings('provider', options, terminal)
      await prepareDatabase(settings, create, terminal)
      const { formatLine } = await import('../intake/dump.ts')
      const { dumpProvider } = await import('../storage/open.ts')
      let isBegun = false
      const formatLines = async function* () {
        for await (const item of dumpProvider(settings.database, databaseOptions(settings))) {
          isBegun = true
          yield formatLine(item)
        }
      }
      await writeLines(formatLines(), terminal).catch((error: unknown) => {
        throw isBegun ? incomplete(error) : error
      })
    },
  )
}

/** An incomplete dump is valid NDJSON and could be mistaken for a complete one. */
function incomplete(error: unknown): unknown {
  if (!isExpected(error)) return error
  return new CommandError(1, `${error.message}. The dump is incomplete: do not use it.`, {
    cause: error,
  })
}
