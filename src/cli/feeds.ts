import { Argument, type Command } from 'commander'
import type { Feed, FeedStore } from '../load/feed-writer.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { databaseSettings, type StoreFlags, withStore } from './common/database.ts'
import { addSettingFlags } from './common/setting-flags.ts'
import { addSubcommands, createSubcommand } from './common/subcommands.ts'

interface Flags extends StoreFlags {
  readonly json?: true
}

export function feedsCommand(terminal: Terminal): Command {
  const command = createSubcommand('feeds', 'list the feeds, or forget one')
    .description(
      'Prints the last batch of every feed, the time of its commit and the number of lines of all batches. A feed is written by an API client of the intake (see holdfast serve intake) or by holdfast load --follow --feed.',
    )
    .option('--json', 'print a JSON array instead of a table')
    .addHelpText('after', '\nExample: holdfast feeds --database sqlite:bank.db')
    .action(({ json, ...flags }: Flags) =>
      withFeeds(flags, terminal, async (store) => {
        const feeds = await store.list()
        terminal.out(json ? formatJson(feeds) : formatTable(feeds))
      }),
    )
  addSettingFlags(command, 'intake', databaseSettings)
  return addSubcommands(command, [removeCommand(terminal)])
}

function removeCommand(terminal: Terminal): Command {
  return createSubcommand(
    'remove',
    'forget a feed, so that its next batch has the number 1; its data stays',
  )
    .addArgument(new Argument('<name>', 'the name of the feed'))
    .addHelpText('after', '\nExample: holdfast feeds remove core')
    .action((name: string, _flags: Flags, command: Command) =>
      // The list has the same flags, and takes those of its subcommand.
      withFeeds(command.optsWithGlobals(), terminal, async (store) => {
        if (await store.remove(name)) return
        throw new CommandError(1, 'no feed with this name: run holdfast feeds')
      }),
    )
}

function withFeeds(
  flags: StoreFlags,
  terminal: Terminal,
  work: (store: FeedStore) => Promise<void>,
): Promise<void> {
  return withStore(flags, terminal, (storage, ...args) => storage.openFeedStore(...args), work)
}

function formatTable(feeds: readonly Feed[]): string {
  const rows = [
    ['feed', 'batch', 'time', 'lines'],
    ...feeds.map(({ name, batch, time, lines }) => [
      name,
      String(batch),
      formatTime(time),
      String(lines),
    ]),
  ]
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  // Numbers are aligned to the right.
  const align = (cell: string, column: number) =>
    column % 2 === 1 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
  return rows.map((row) => `${row.map(align).join('  ')}\n`).join('')
}

function formatJson(feeds: readonly Feed[]): string {
  const entries = feeds.map(({ name, batch, time, lines }) => ({
    feed: name,
    batch,
    time: formatTime(time),
    lines,
  }))
  return `${JSON.stringify(entries, null, 2)}\n`
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString()
}
