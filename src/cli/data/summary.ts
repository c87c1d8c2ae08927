import { escapeInvisible } from '../../contract/characters.ts'
import { type DataSummary, openDataSummary } from '../../intake/data-summary.ts'
import type { Terminal } from '../../server/terminal.ts'
import { formatCount, formatQuantity } from '../common/format-count.ts'
import { formatTable } from '../common/format-table.ts'
import {
  formatAccountsWithoutBalance,
  formatAccountsWithoutContact,
} from '../load/format-warnings.ts'
import { type DataFlags, readData } from './read-data.ts'

/** Prints how much of each type is stored. */
export async function summarizeData(flags: DataFlags, terminal: Terminal): Promise<void> {
  const summary = openDataSummary()
  await readData(flags, terminal, (item) => summary.add(item))
  const result = summary.finish()
  if (flags.json) terminal.out(`${JSON.stringify(result, undefined, 2)}\n`)
  else terminal.out(`${formatSummary(result).map(escapeInvisible).join('\n')}\n`)
}

function formatSummary(summary: DataSummary): string[] {
  const { types, unresolved, accountsWithoutBalance, accountsWithoutContact } = summary
  if (types.length === 0 && unresolved === 0) return ['The database is empty.']
  const rows = types.map(({ type, records, oldest = '', newest = '', largest }) => {
    const list = largest ? `${formatCount(largest.records)} (${largest.accountId})` : ''
    return [type, formatCount(records), oldest, newest, list]
  })
  const header = ['', 'records', 'oldest', 'newest', 'largest list']
  return [
    ...formatTable([header, ...rows], (column) => column === 1),
    ...(types.some(({ type, oldest }) => type === 'banking.transaction' && oldest !== undefined)
      ? ['The days of banking transactions are in UTC.']
      : []),
    ...formatAccountsWithoutBalance(accountsWithoutBalance.count),
    ...formatAccountsWithoutContact(accountsWithoutContact.count),
    ...(unresolved > 0
      ? [
          `${formatQuantity(unresolved, 'record')} not served: the account or a customer does not exist`,
        ]
      : []),
  ]
}
