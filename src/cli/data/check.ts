import { escapeInvisible } from '../../contract/characters.ts'
import { openDataCheck } from '../../intake/data-check.ts'
import { databaseOptions } from '../../server/database-options.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { dumpProvider } from '../../storage/open.ts'
import { prepareDatabase } from '../common/database.ts'
import { formatCount, formatQuantity } from '../common/format-count.ts'
import { openProgressLine } from '../common/progress-line.ts'
import {
  type CommandSettings,
  readCommandSettings,
  type SettingFlags,
} from '../common/setting-flags.ts'
import { type Finding, listFindings } from './findings.ts'

interface CheckFlags extends SettingFlags {
  readonly json?: true
}

/** Prints what is incomplete in the database, and fails if there is something. */
export async function checkData(flags: CheckFlags, terminal: Terminal): Promise<void> {
  const settings = readCommandSettings('provider', flags, terminal)
  await prepareDatabase(settings, false, terminal)
  const { records, findings } = await readFindings(settings, terminal)
  if (flags.json) terminal.out(`${JSON.stringify({ records, findings }, undefined, 2)}\n`)
  else for (const finding of findings) terminal.out(formatFinding(finding))
  const checked = `${formatQuantity(records, 'record')} checked`
  if (findings.length > 0) {
    throw new CommandError(1, `${checked}: ${formatQuantity(findings.length, 'finding')}`)
  }
  if (!flags.json) terminal.out(`${checked}: nothing found\n`)
}

async function readFindings(settings: CommandSettings, terminal: Terminal) {
  const check = openDataCheck()
  const progress = openProgressLine(terminal)
  let records = 0
  try {
    for await (const item of dumpProvider(settings.database, databaseOptions(settings))) {
      if (item.type === 'removal') continue
      check.add(item)
      records += 1
      progress.show(() => `${formatCount(records)} records checked`)
    }
  } finally {
    progress.clear()
  }
  return { records, findings: listFindings(check.finish()) }
}

function formatFinding({ text, examples, hasMore }: Finding): string {
  const rest = hasMore ? ', …' : ''
  return `${escapeInvisible(text)}\n  ${escapeInvisible(examples.join(', '))}${rest}\n`
}
