import { escapeInvisible } from '../../contract/characters.ts'
import { openDataCheck } from '../../intake/data-check.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { formatQuantity } from '../common/format-count.ts'
import { type Finding, listFindings } from './findings.ts'
import { type DataFlags, readData } from './read-data.ts'

/** Prints what is incomplete in the database, and fails if there is something. */
export async function checkData(flags: DataFlags, terminal: Terminal): Promise<void> {
  const check = openDataCheck()
  const records = await readData(flags, terminal, (item) => check.add(item))
  const findings = listFindings(check.finish())
  if (flags.json) terminal.out(`${JSON.stringify({ records, findings }, undefined, 2)}\n`)
  else for (const finding of findings) terminal.out(formatFinding(finding))
  const checked = `${formatQuantity(records, 'record')} checked`
  if (findings.length > 0) {
    throw new CommandError(1, `${checked}: ${formatQuantity(findings.length, 'finding')}`)
  }
  if (!flags.json) terminal.out(`${checked}: nothing found\n`)
}

function formatFinding({ text, examples, hasMore }: Finding): string {
  const rest = hasMore ? ', …' : ''
  return `${escapeInvisible(text)}\n  ${escapeInvisible(examples.join(', '))}${rest}\n`
}
