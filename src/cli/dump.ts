import { Command } from 'commander'
import { databaseOptions } from '../server/database-options.ts'
import { CommandError, isExpected, type Terminal } from '../server/terminal.ts'
import { addCreateFlag, databaseSettings, prepareDatabase } from './database.ts'
import { addSettingFlags, settingsOf } from './settings-command.ts'

/** How much text is gathered before it is written. */
const chunkLength = 256 * 1024

export function dumpCommand(terminal: Terminal): Command {
  const command = new Command('dump')
    .summary('write everything as lines of data')
    .description(
      'Writes all data of the database as JSON lines that load reads, for a move to another database. The order depends on the content alone. The used tokens are not included: to copy a SQLite database with them, use holdfast backup.',
    )
    .addHelpText(
      'after',
      '\nExample: holdfast dump | holdfast load - --database postgres://holdfast_load@db.example/bank',
    )
  return addCreateFlag(addSettingFlags(command, databaseSettings)).action(
    async ({ create = false, ...options }: { database?: string; create?: boolean }) => {
      const settings = settingsOf('demo', options, terminal)
      await prepareDatabase(settings, create, terminal)
      const { formatLine } = await import('../load/dump.ts')
      const { dumpProvider } = await import('../storage/open.ts')
      let lines = 0
      let text = ''
      try {
        for await (const item of dumpProvider(settings.database, databaseOptions(settings))) {
          text += `${formatLine(item)}\n`
          lines += 1
          if (text.length < chunkLength) continue
          await terminal.write(text)
          text = ''
        }
        await terminal.write(text)
      } catch (error) {
        throw lines === 0 ? error : cutShort(error)
      }
    },
  )
}

/** A part of a dump looks like a whole one. */
function cutShort(error: unknown): unknown {
  if (!isExpected(error)) return error
  return new CommandError(1, `${error.message}. The dump is incomplete: do not use it.`, {
    cause: error,
  })
}
