import type { DumpedItem } from '../../intake/writer.ts'
import { databaseOptions } from '../../server/database-options.ts'
import type { Terminal } from '../../server/terminal.ts'
import { dumpProvider } from '../../storage/open.ts'
import { prepareDatabase } from '../common/database.ts'
import { formatCount } from '../common/format-count.ts'
import { openProgressLine } from '../common/progress-line.ts'
import { readCommandSettings, type SettingFlags } from '../common/setting-flags.ts'

export interface DataFlags extends SettingFlags {
  readonly json?: true
}

/** Reads everything that is stored, from one snapshot. Returns the number of records. */
export async function readData(
  flags: DataFlags,
  terminal: Terminal,
  add: (item: DumpedItem) => void,
): Promise<number> {
  const settings = readCommandSettings('provider', flags, terminal)
  await prepareDatabase(settings, false, terminal)
  const progress = openProgressLine(terminal)
  let records = 0
  try {
    for await (const item of dumpProvider(settings.database, databaseOptions(settings))) {
      if (item.type === 'removal') continue
      add(item)
      records += 1
      progress.show(() => `${formatCount(records)} records read`)
    }
  } finally {
    progress.clear()
  }
  return records
}
