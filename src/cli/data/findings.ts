import type { DataFindings } from '../../intake/data-check.ts'
import type { Gap } from '../../intake/gap-check.ts'
import type { Examples } from '../../intake/line-warnings.ts'
import {
  formatAccountsWithoutBalance,
  formatAccountsWithoutContact,
  formatAccountsWithoutUsers,
  formatCustomersWithoutEmail,
  formatFault,
} from '../load/format-warnings.ts'

/** One kind of finding, as `--json` prints it. */
export interface Finding {
  readonly finding: string
  readonly text: string
  /** The number of records: an account may have several. */
  readonly count: number
  /** The first customers or accounts, by id. */
  readonly examples: readonly string[]
  readonly hasMore: boolean
}

export function listFindings(found: DataFindings): Finding[] {
  const gap = (finding: string, { count, examples }: Gap, format: (count: number) => string[]) =>
    format(count).map((text) => ({ finding, text, count, ...toIds(examples) }))
  return [
    ...gap('customer-without-email', found.customersWithoutEmail, formatCustomersWithoutEmail),
    ...gap('account-without-balance', found.accountsWithoutBalance, formatAccountsWithoutBalance),
    ...gap('account-without-contact', found.accountsWithoutContact, formatAccountsWithoutContact),
    ...gap('account-without-users', found.accountsWithoutUsers, formatAccountsWithoutUsers),
    ...found.faults.map(({ count, examples, ...fault }) => ({
      finding: 'consumer-data-standards',
      ...fault,
      text: `${formatFault({ count, examples, ...fault })} (Consumer Data Standards)`,
      count,
      ...toIds(examples),
    })),
  ]
}

function toIds({ ids, hasMore }: Examples) {
  return { examples: ids, hasMore }
}
