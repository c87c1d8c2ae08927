import { formatTime, getWeekday, type Zone } from '../calendar.ts'
import { formatMoney } from '../money.ts'
import { formatLine } from '../options.ts'
import type { Random } from '../random.ts'
import { type AccountBehaviour, type Entry, takeDue, transfer } from './schedule.ts'

/** The extent of a history. Both the first and the last day have entries unless `count` is 0. */
export interface HistoryPlan {
  readonly accountId: string
  /** The exact number of transactions, including pending ones. */
  readonly count: number
  readonly pendingCount: number
  readonly firstDay: number
  readonly lastDay: number
  /** Closed on the last day: the last entry settles the balance to zero. */
  readonly isClosed: boolean
  readonly zones: readonly Zone[]
}

/** The totals of posted and pending entries, and the last of each direct debit. */
export interface HistoryEnd {
  readonly postedCents: number
  readonly pendingCents: number
  readonly debits: ReadonlyMap<string, { readonly cents: number; readonly time: string }>
}

/** The weights of the weekdays, Sunday first; their sum is `weekWeight`. */
const weekdayWeights = [0.55, 0.95, 0.95, 1.05, 1.25, 1.4, 0.85]
const weekWeight = 7

const morningMs = 6 * 3_600_000
const eveningMs = 22 * 3_600_000
const minuteMs = 60_000

/**
 * Generates the transactions of one account, oldest first, one line each. Only totals are kept, so memory use is
 * constant.
 */
export function* generateHistory(
  plan: HistoryPlan,
  behaviour: AccountBehaviour,
  random: Random,
): Generator<string, HistoryEnd> {
  const { firstDay, lastDay, isClosed } = plan
  const postedCount = plan.count - plan.pendingCount
  const openCount = postedCount - (isClosed ? 1 : 0)
  const weight = weightBetween(firstDay, lastDay + 1)
  const noiseMax = 1 + Math.sqrt(openCount / (lastDay - firstDay + 1))
  const debits = new Map<string, { cents: number; time: string }>()
  let balance = 0
  let written = 0

  function post(entry: Entry, day: number, ms: number): string {
    const time = formatTime(day, ms, random.pick(plan.zones))
    balance += entry.cents
    written += 1
    if (entry.type === 'DIRECT_DEBIT') debits.set(entry.description, { cents: entry.cents, time })
    const wasExecutedEarlier = entry.type === 'PAYMENT' && random.chance(0.2)
    const executed = wasExecutedEarlier ? formatTime(day - 1, ms - minuteMs, 'utc') : undefined
    return transactionLine(plan.accountId, written, entry, time, executed)
  }

  for (let day = firstDay; day <= lastDay && written < openCount; day += 1) {
    const due = takeDue(day, behaviour.recurring, balance)
    if (day === firstDay) due.unshift(behaviour.opening)
    const share = weightBetween(firstDay, day + 1) / weight
    const noise = (random.fraction() * 2 - 1) * noiseMax
    const target = day === lastDay ? openCount : Math.floor(openCount * share + noise)
    const slots = Math.min(Math.max(target - written, due.length), openCount - written)
    for (let slot = 0; slot < slots; slot += 1) {
      const position = (slot + random.fraction()) / slots
      const ms = morningMs + Math.floor(position * (eveningMs - morningMs))
      yield post(due[slot] ?? behaviour.occasional(balance), day, ms)
    }
  }
  if (isClosed)
    yield post(transfer('Account closed, balance settled', -balance), lastDay, eveningMs)

  const postedCents = balance
  for (let index = 0; index < plan.pendingCount; index += 1) {
    const entry = behaviour.occasional(balance)
    balance += entry.cents
    written += 1
    // The first half was executed late on the last day; the rest has no time yet.
    const isTimed = index < plan.pendingCount / 2
    const ms = eveningMs + (index + 1) * minuteMs
    const executed = isTimed ? formatTime(lastDay, ms, random.pick(plan.zones)) : undefined
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
  return formatLine('banking.transaction', {
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
  })
}

/** Cash withdrawals are whole dollars, and their amounts have no decimals. */
function amountText(type: Entry['type'], cents: number): string {
  return type === 'OTHER' && cents % 100 === 0 ? String(cents / 100) : formatMoney(cents)
}

/** The total weight of the days from `first` to `end`, exclusive. */
function weightBetween(first: number, end: number): number {
  return weightUntil(end) - weightUntil(first)
}

function weightUntil(day: number): number {
  const weekday = getWeekday(day)
  let weight = ((day - weekday) / 7) * weekWeight
  for (let before = 0; before < weekday; before += 1) weight += weekdayWeights[before] ?? 0
  return weight
}
