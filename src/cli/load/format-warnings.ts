import { escapeInvisible } from '../../contract/characters.ts'
import { describePath } from '../../contract/labels.ts'
import type { LeftOutFields, LineWarnings, RecordFaults } from '../../intake/line-warnings.ts'
import type { AccountGaps } from '../../intake/writer.ts'
import { formatCount, formatQuantity } from '../common/format-count.ts'

/** How many names of fields that were left out are printed. */
const leftOutShownMax = 20

/** A follower does not count gaps. */
interface Warnings extends LineWarnings {
  readonly gaps?: AccountGaps | undefined
}

export function formatWarnings(warnings: Warnings): string[] {
  const { leftOut, customersWithoutEmail, accountsWithoutUsers, faults, unlikely, gaps } = warnings
  return [
    ...(leftOut.total > 0 ? [formatLeftOut(leftOut)] : []),
    ...formatCustomersWithoutEmail(customersWithoutEmail),
    ...formatAccountsWithoutBalance(gaps?.withoutBalance ?? 0),
    ...formatAccountsWithoutContact(gaps?.withoutContact ?? 0),
    ...formatAccountsWithoutUsers(accountsWithoutUsers),
    ...formatFaults(faults),
    ...formatUnlikely(unlikely),
  ]
}

/** The fields that were left out most often, with their numbers. */
function formatLeftOut({ total, byField }: LeftOutFields): string {
  const shown = [...byField]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, leftOutShownMax)
  const rest = total - shown.reduce((sum, [, times]) => sum + times, 0)
  const parts = [
    ...shown.map(([field, times]) => `${field} ${formatCount(times)}`),
    ...(rest > 0 ? [`others ${formatCount(rest)}`] : []),
  ]
  return escapeInvisible(`${formatQuantity(total, 'unknown field')} left out: ${parts.join(', ')}`)
}

export const formatCustomersWithoutEmail = formatter('customer', {
  one: 'has no e-mail address: the consent flow cannot find it',
  many: 'have no e-mail address: the consent flow cannot find them',
})

export const formatAccountsWithoutBalance = formatter('bank account', {
  one: 'has no balance: B2 and C4 reject requests for it',
  many: 'have no balance: B2 and C4 reject requests for them',
})

export const formatAccountsWithoutContact = formatter('account', {
  one: 'has no contact record: a request for its contact is a 404',
  many: 'have no contact record: a request for their contact is a 404',
})

export const formatAccountsWithoutUsers = formatter('account', {
  one: 'lists fewer users than it has holders: users must contain every holder of a joint account',
  many: 'list fewer users than they have holders: users must contain every holder of a joint account',
})

function formatter(noun: string, { one, many }: { readonly one: string; readonly many: string }) {
  return (count: number): string[] =>
    count > 0 ? [`${formatQuantity(count, noun)} ${count === 1 ? one : many}`] : []
}

/** Under a heading, each kind of fault with the number of records. */
function formatFaults(faults: readonly RecordFaults[]): string[] {
  if (faults.length === 0) return []
  const heading =
    'The Consumer Data Standards do not allow some records: a platform cannot pass them on unchanged'
  return [heading, ...faults.map(formatFault)]
}

/** In the words of the console. */
function formatUnlikely(found: readonly RecordFaults[]): string[] {
  if (found.length === 0) return []
  return [
    'Some products have unlikely values:',
    ...found.map(({ path, reason, count }) => {
      const element = path.replaceAll(/s(?=\.|$)/g, '')
      return `${formatCount(count)} × product: ${describePath(element)} ${reason}`
    }),
  ]
}

export function formatFault({ type, path, reason, count }: RecordFaults): string {
  return `${formatCount(count)} × ${type}: ${path} ${reason}`
}
