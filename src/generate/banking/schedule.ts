import type { BankingTransaction } from '../../contract/index.ts'
import { findDay, getDayOfMonth, getMonth, toBusinessDay } from '../calendar.ts'
import type { Random } from '../random.ts'

/** A transaction that has no time yet. */
export interface Entry {
  readonly type: NonNullable<BankingTransaction['type']>
  readonly description: string
  readonly cents: number
  readonly reference?: string | undefined
}

/** Entries at regular intervals. If `entry` returns undefined, the interval has none. */
export interface RecurringEntry {
  next: number
  readonly nextAfter: (day: number) => number
  readonly entry: (balance: number) => Entry | undefined
}

/** The transactions of one account: its opening, the recurring ones, and those in between. */
export interface AccountBehaviour {
  readonly opening: Entry
  readonly recurring: readonly RecurringEntry[]
  readonly occasional: (balance: number) => Entry
}

/** The parameters of a behaviour. */
export interface AccountState {
  readonly openingCents: number
  readonly limitCents: number
  /** Per year, as a fraction: 0.05 is 5 %. */
  readonly rate: number
  readonly firstDay: number
  /** The city of the first holder. */
  readonly city: string
}

export type BehaviourFactory = (state: AccountState, random: Random) => AccountBehaviour

export function repeatDays(
  first: number,
  days: number,
  entry: RecurringEntry['entry'],
): RecurringEntry {
  return { next: first, nextAfter: (day) => day + days, entry }
}

/** On a date of the month, or the following Monday on a weekend. */
export function repeatMonths(
  first: number,
  months: number,
  date: number,
  entry: RecurringEntry['entry'],
): RecurringEntry {
  let month = getMonth(first) + (getDayOfMonth(first) < date ? 0 : 1)
  const nextAfter = () => {
    month += months
    return toBusinessDay(findDay(month, date))
  }
  return { next: toBusinessDay(findDay(month, date)), nextAfter, entry }
}

/** Returns the entries due by this day, each at most once, and advances their schedule. */
export function takeDue(
  day: number,
  recurring: readonly RecurringEntry[],
  balance: number,
): Entry[] {
  const due: Entry[] = []
  for (const recurringEntry of recurring) {
    if (recurringEntry.next > day) continue
    recurringEntry.next = recurringEntry.nextAfter(day)
    const entry = recurringEntry.entry(balance)
    if (entry) due.push(entry)
  }
  return due
}

/** Money that comes in, or goes out if the amount is negative. */
export function transfer(description: string, cents: number, reference?: string): Entry {
  const type = cents < 0 ? 'TRANSFER_OUTGOING' : 'TRANSFER_INCOMING'
  return { type, description, cents, reference }
}

export function chargeFee(description: string, cents: number): Entry {
  return { type: 'FEE', description, cents: -cents }
}

/** A month's interest on a positive balance. */
export function payInterest(balance: number, rate: number): Entry | undefined {
  const cents = Math.round((balance * rate) / 12)
  return cents > 0 ? { type: 'INTEREST_PAID', description: 'Interest', cents } : undefined
}

/** A month's interest on a negative balance. */
export function chargeInterest(balance: number, rate: number): Entry | undefined {
  const cents = Math.round((balance * rate) / 12)
  return cents < 0
    ? { type: 'INTEREST_CHARGED', description: 'Interest charged', cents }
    : undefined
}
