import type { BankingTransaction } from '../../contract/index.ts'
import { businessDay, dayIn, dayOfMonth, monthOf } from '../calendar.ts'
import type { Random } from '../random.ts'

/** One thing that happens on an account, before it has a time. */
export interface Entry {
  readonly type: NonNullable<BankingTransaction['type']>
  readonly description: string
  readonly cents: number
  readonly reference?: string
}

/** What comes back by the calendar. Nothing is entered where `entry` makes nothing. */
export interface Regular {
  next: number
  readonly following: (day: number) => number
  readonly entry: (balance: number) => Entry | undefined
}

/** The life of one account: how it begins, what comes back, and what happens in between. */
export interface AccountBehaviour {
  readonly opening: Entry
  readonly regulars: readonly Regular[]
  readonly occasional: (balance: number) => Entry
}

/** What a programme is made for. Amounts are in cents, the rate is a part of one a year. */
export interface AccountState {
  readonly openingCents: number
  readonly limitCents: number
  readonly rate: number
  readonly firstDay: number
  /** Where its holder lives and shops. */
  readonly city: string
}

export type BehaviourFactory = (course: AccountState, random: Random) => AccountBehaviour

export function everyDays(first: number, days: number, entry: Regular['entry']): Regular {
  return { next: first, following: (day) => day + days, entry }
}

/** On a date of the month, or on the Monday after: for what banks do by themselves. */
export function everyMonths(
  first: number,
  months: number,
  date: number,
  entry: Regular['entry'],
): Regular {
  let month = monthOf(first) + (dayOfMonth(first) < date ? 0 : 1)
  const following = () => {
    month += months
    return businessDay(dayIn(month, date))
  }
  return { next: businessDay(dayIn(month, date)), following, entry }
}

/** What is due by this day, each at most once. */
export function dueBy(day: number, regulars: readonly Regular[], balance: number): Entry[] {
  const due: Entry[] = []
  for (const regular of regulars) {
    if (regular.next > day) continue
    regular.next = regular.following(day)
    const entry = regular.entry(balance)
    if (entry) due.push(entry)
  }
  return due
}

/** A month's interest on what is there; nothing on what is owed. */
export function interestPaid(balance: number, rate: number): Entry | undefined {
  const cents = Math.round((balance * rate) / 12)
  return cents > 0 ? { type: 'INTEREST_PAID', description: 'Interest', cents } : undefined
}

/** A month's interest on what is owed; nothing on what is there. */
export function interestCharged(balance: number, rate: number): Entry | undefined {
  const cents = Math.round((balance * rate) / 12)
  return cents < 0
    ? { type: 'INTEREST_CHARGED', description: 'Interest charged', cents }
    : undefined
}
