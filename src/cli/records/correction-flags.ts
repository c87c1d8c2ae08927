import type { Command } from 'commander'
import type { CorrectionQuery } from '../../disclosures/correction.ts'
import type { SettingFlags } from '../common/setting-flags.ts'
import { parseTime } from './parse-time.ts'

/** The flags that select corrections. */
export interface CorrectionFlags extends SettingFlags {
  readonly since?: string
  readonly until?: string
  readonly customer?: string
}

export function addCorrectionFlags(command: Command): Command {
  return command
    .option('--since <time>', 'corrections from this day or time on, such as 2026-07-01')
    .option('--until <time>', 'corrections before this day or time')
    .option('--customer <id>', 'only corrections of data of this customer')
}

export function readCorrectionFlags(
  { since, until, customer: customerId }: CorrectionFlags,
  timeZone = 'UTC',
): Omit<CorrectionQuery, 'limit'> {
  const from = parseTime('--since', since, timeZone)
  return { from, to: parseTime('--until', until, timeZone), customerId }
}
