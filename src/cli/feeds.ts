import { Argument, type Command } from 'commander'
import type { Feed } from '../intake/feed-writer.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { databaseSettings, type StoreFlags, withStore } from './common/database.ts'
import { formatTable } from './common/format-table.ts'
import { addSettingFlags } from './common/setting-flags.ts'
import { addSubcommands, createSubcommand } from './common/subcommands.ts'

interface Flags extends StoreFlags {
  readonly json?: true
}

export function feedsCommand(terminal: Terminal): Command {
  const command = createSubcommand(
    'feeds',
    'list the feeds, give one to another client, or forget one',
  )
    .description(
      'Prints the last batch of every feed, the time of its commit, the number of lines of all batches, and the owner. The batch 0 is the start of a follower that has not committed a line yet. A feed belongs to the API client that sent its first batch to the intake (see holdfast serve intake), or to holdfast load --follow --feed.',
    )
    .option('--json', 'print a JSON array instead of a table')
    .addHelpText('after', '\nExample: holdfast feeds --database sqlite:bank.db')
    .action((flags: Flags) =>
      withStore('openFeedStore', flags, terminal, async (store) => {
        const feeds = await store.list()
        terminal.out(flags.json ? formatJson(feeds) : formatFeeds(feeds))
      }),
    )
  addSettingFlags(command, 'intake', databaseSettings)
  return addSubcommands(command, terminal, assignCommand, removeCommand)
}

function assignCommand(terminal: Terminal): Command {
  return createSubcommand(
    'assign',
    'give a feed to another API client, which then sends the next batch',
  )
    .addArgument(new Argument('<name>', 'the name of the feed'))
    .addArgument(new Argument('<client-id>', 'the id of the new owner, see holdfast client list'))
    .addHelpText(
      'after',
      '\nExample: holdfast feeds assign core 14591337-7a3d-4aef-80b6-cf8f15cdf807',
    )
    .action(async (name: string, clientId: string, _flags: Flags, command: Command) => {
      const flags: StoreFlags = command.optsWithGlobals()
      await withStore('openClientStore', flags, terminal, async (clients) => {
        if (await clients.find(clientId)) return
        throw new CommandError(1, 'no API client with this id: run holdfast client list')
      })
      await withStore('openFeedStore', flags, terminal, async (store) => {
        if (await store.assign(name, clientId)) return
        throw new CommandError(1, 'no API client sends a feed with this name: run holdfast feeds')
      })
    })
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
      withStore('openFeedStore', command.optsWithGlobals(), terminal, async (store) => {
        if (await store.remove(name)) return
        throw new CommandError(1, 'no feed with this name: run holdfast feeds')
      }),
    )
}

function formatFeeds(feeds: readonly Feed[]): string {
  const rows = [
    ['feed', 'batch', 'time', 'lines', 'owner'],
    ...feeds.map(({ name, batch, time, lines, position, owner }) => [
      name,
      String(batch),
      formatTime(time),
      String(lines),
      position === undefined ? (owner ?? '') : 'follower',
    ]),
  ]
  return `${formatTable(rows, (column) => column % 2 === 1).join('\n')}\n`
}

function formatJson(feeds: readonly Feed[]): string {
  const entries = feeds.map(({ name, batch, time, lines, owner }) => ({
    feed: name,
    batch,
    time: formatTime(time),
    lines,
    ...(owner !== undefined && { owner }),
  }))
  return `${JSON.stringify(entries, null, 2)}\n`
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString()
}
