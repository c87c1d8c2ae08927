import { timeOf, weekdayOf, type Zone } from '../calendar.ts'
import { moneyText } from '../money.ts'
import type { Random } from '../random.ts'
import { type AccountBehaviour, dueBy, type Entry } from './schedule.ts'

/** What a history is made of, and where it ends. Both days have entries, if there are any. */
export interface HistoryPlan {
  readonly accountId: string
  /** Exactly this many, the pending ones included. */
  readonly count: number
  readonly pendingCount: number
  readonly firstDay: number
  readonly lastDay: number
  /** Closed on the last day: one last entry takes the balance to zero. */
  readonly isClosed: boolean
  readonly zones: readonly Zone[]
}

/** Where a history has led: sums of posted and of pending entries, and the last of each direct debit. */
export interface HistoryEnd {
  readonly postedCents: number
  readonly pendingCents: number
  readonly debits: ReadonlyMap<string, { readonly cents: number; readonly time: string }>
}

/** Weight of a weekday, Sunday first. A week weighs seven. */
const weekdayWeights = [0.55, 0.95, 0.95, 1.05, 1.25, 1.4, 0.85]
const weekWeight = 7

const morningMs = 6 * 3_600_000
const eveningMs = 22 * 3_600_000
const minuteMs = 60_000

/**
 * The transactions of one account, oldest first, one line each. Only sums are kept, so that a history of
 * millions takes no more memory than one of ten.
 */
export function* historyLines(
  plan: HistoryPlan,
  programme: AccountBehaviour,
  random: Random,
): Generator<string, HistoryEnd> {
  const { firstDay, lastDay, isClosed } = plan
  const postedCount = plan.count - plan.pendingCount
  const openCount = postedCount - (isClosed ? 1 : 0)
  const weight = weightBetween(firstDay, lastDay + 1)
  const wobble = 1 + Math.sqrt(openCount / (lastDay - firstDay + 1))
  const debits = new Map<string, { cents: number; time: string }>()
  let balance = 0
  let written = 0

  function posted(entry: Entry, day: number, ms: number): string {
    const time = timeOf(day, ms, random.pick(plan.zones))
    balance += entry.cents
    written += 1
    if (entry.type === 'DIRECT_DEBIT') debits.set(entry.description, { cents: entry.cents, time })
    const wasEarlier = entry.type === 'PAYMENT' && random.chance(0.2)
    const executed = wasEarlier ? timeOf(day - 1, ms - minuteMs, 'utc') : undefined
    return transactionLine(plan.accountId, written, entry, time, executed)
  }

  for (let day = firstDay; day <= lastDay && written < openCount; day += 1) {
    const due = dueBy(day, programme.regulars, balance)
    if (day === firstDay) due.unshift(programme.opening)
    const share = weightBetween(firstDay, day + 1) / weight
    const noise = (random.unit() * 2 - 1) * wobble
    const goal = day === lastDay ? openCount : Math.floor(openCount * share + noise)
    const slots = Math.min(Math.max(goal - written, due.length), openCount - written)
    for (let slot = 0; slot < slots; slot += 1) {
      const position = (slot + random.unit()) / slots
      const ms = morningMs + Math.floor(position * (eveningMs - morningMs))
      yield posted(due[slot] ?? programme.occasional(balance), day, ms)
    }
  }
  if (isClosed) yield posted(closing(balance), lastDay, eveningMs)

  const postedCents = balance
  for (let index = 0; index < plan.pendingCount; index += 1) {
    const entry = programme.occasional(balance)
    balance += entry.cents
    written += 1
    // The first half was executed late on the last day; of the rest no time is known yet.
    const isTimed = index < plan.pendingCount / 2
    const ms = eveningMs + (index + 1) * minuteMs
    const executed = isTimed ? timeOf(lastDay, ms, random.pick(plan.zones)) : undefined
    yield transactionLine(plan.accountId, written, entry, undefined, executed)
  }
  return { postedCents, pendingCents: balance - postedCents, debits }
}

function transactionLine(
  accountId: string,
  number: number,
  { type, description, cents, reference }: Entry,
  postingDateTime: string | undefined,
  executionDateTime: string | undefined,
): string {
  return JSON.stringify({
    type: 'banking.transaction',
    record: {
      accountId,
      transactionId: `t-${String(number).padStart(7, '0')}`,
      isDetailAvailable: type.startsWith('TRANSFER'),
      type,
      status: postingDateTime ? 'POSTED' : 'PENDING',
      description,
      postingDateTime,
      executionDateTime,
      amount: amountText(type, cents),
      reference,
    },
  })
}

/** Cash machines know no cents, and their amounts are sent without any. */
function amountText(type: Entry['type'], cents: number): string {
  return type === 'OTHER' && cents % 100 === 0 ? String(cents / 100) : moneyText(cents)
}

function closing(balance: number): Entry {
  const description = 'Account closed, balance settled'
  return {
    type: balance > 0 ? 'TRANSFER_OUTGOING' : 'TRANSFER_INCOMING',
    description,
    cents: -balance,
  }
}

/** Sum of the weights of the days from `first` up to, not including, `end`. */
function weightBetween(first: number, end: number): number {
  return weightUntil(end) - weightUntil(first)
}

function weightUntil(day: number): number {
  const weekday = weekdayOf(day)
  let weight = ((day - weekday) / 7) * weekWeight
  for (let before = 0; before < weekday; before += 1) weight += weekdayWeights[before] ?? 0
  return weight
}
