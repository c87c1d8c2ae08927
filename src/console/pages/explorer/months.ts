import type { BankingTransaction } from '../../../contract/index.ts'
import { addDecimals, negateDecimal } from '../../decimal.ts'
import { toLocal } from '../../zoned-time.ts'

/** The sums of one calendar month of the zone, as exact decimals. */
export interface Month {
  /** Such as 2026-03. */
  readonly month: string
  readonly moneyIn: string
  readonly moneyOut: string
  /** The balance at the end of the month, or now. */
  readonly balance: string
}

/** Months from the first transaction to the last, those without transactions included. Pending ones are left out. */
export function sumMonths(
  transactions: readonly BankingTransaction[],
  currentBalance: string,
  zone: string,
): Month[] {
  const amounts = new Map<string, string[]>()
  for (const { status, amount, postingDateTime, executionDateTime } of transactions) {
    const time = new Date(postingDateTime ?? executionDateTime ?? '')
    if (status !== 'POSTED' || Number.isNaN(time.getTime())) continue
    const month = toLocal(zone, time.getTime()).slice(0, 7)
    amounts.set(month, [...(amounts.get(month) ?? []), amount])
  }
  const names = [...amounts.keys()].sort()
  const [first, last] = [names[0], names.at(-1)]
  if (first === undefined || last === undefined) return []
  let balance = currentBalance
  return listMonths(first, last)
    .reverse()
    .map((month) => {
      const given = amounts.get(month) ?? []
      const result = {
        month,
        moneyIn: addDecimals(given.filter((amount) => !amount.startsWith('-'))),
        moneyOut: negateDecimal(addDecimals(given.filter((amount) => amount.startsWith('-')))),
        balance,
      }
      balance = addDecimals([balance, negateDecimal(addDecimals(given))])
      return result
    })
    .reverse()
}

/** At most ten years, for times that are far apart. */
const monthsMax = 120

function listMonths(first: string, last: string): string[] {
  const months: string[] = []
  for (let month = last; month >= first && months.length < monthsMax; ) {
    months.unshift(month)
    const [year = 0, number = 0] = month.split('-').map(Number)
    month = new Date(Date.UTC(year, number - 2, 1)).toISOString().slice(0, 7)
  }
  return months
}
