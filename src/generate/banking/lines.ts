import type { BankingBalance, DirectDebit } from '../../contract/index.ts'
import type { Zone } from '../calendar.ts'
import { contactLines } from '../contact.ts'
import { moneyText } from '../money.ts'
import { type GenerationContext, lineOf } from '../options.ts'
import type { Ownership } from '../ownership.ts'
import { type Random, randomFrom } from '../random.ts'
import { bankingAccountOf } from './account.ts'
import { type AccountType, type AccountTypeName, accountType } from './account-types.ts'
import { type HistoryEnd, historyLines } from './history.ts'
import { scheduledPaymentLines } from './payments.ts'
import type { BankingPlan } from './plan.ts'

const yearDays = 365
const historyDaysMax = 10 * yearDays
const largeHistoryDaysMax = 3 * yearDays
/** Accounts at least this busy have entries that are not posted yet. */
const pendingActivityMin = 0.6

/** Accounts that people pay from. */
const payingKinds = new Set<AccountTypeName>(['everyday', 'merchant', 'savings', 'overdraft'])

const zoneHabits: readonly (readonly Zone[])[] = [['local'], ['utc'], ['local', 'utc']]

export function bankingLines(
  world: GenerationContext,
  holding: Ownership,
  kind: AccountTypeName,
): Generator<string> {
  const random = randomFrom(world.seed, 'banking', holding.accountId)
  return linesOf(world, planOf(world, holding, kind, random), random)
}

/** The account that `largeAccount` asks for: as many transactions as that, within three years. */
export function largeAccountLines(
  world: GenerationContext,
  holding: Ownership,
  count: number,
): Generator<string> {
  const random = randomFrom(world.seed, 'large')
  const plan = planOf(world, holding, 'merchant', random)
  const days = daysOf(accountType('merchant'), count, largeHistoryDaysMax)
  const firstDay = plan.lastDay - days + 1
  return linesOf(world, { ...plan, count, firstDay, pendingCount: count > 5 ? 2 : 0 }, random)
}

function* linesOf(world: GenerationContext, plan: BankingPlan, random: Random): Generator<string> {
  const { holding, accountId, isClosed } = plan
  const holders = holding.holders.map(({ person, isOwned }) => ({
    customerId: person.customerId,
    isOwned,
  }))
  yield lineOf('banking.account', bankingAccountOf(plan, random), { holders })
  const programme = accountType(plan.kind).programme(plan, random)
  const end = plan.count > 0 ? yield* historyLines(plan, programme, random) : emptyHistory
  yield lineOf('banking.balance', balanceOf(plan, end, random))
  yield* directDebitLines(accountId, end, random)
  if (!isClosed && payingKinds.has(plan.kind)) {
    yield* scheduledPaymentLines(world, holding, random)
  }
  yield* contactLines(holding, isClosed, random)
}

const emptyHistory: HistoryEnd = { postedCents: 0, pendingCents: 0, debits: new Map() }

function planOf(
  world: GenerationContext,
  holding: Ownership,
  name: AccountTypeName,
  random: Random,
): BankingPlan {
  const kind = accountType(name)
  const [{ person }] = holding.holders
  // The first customer is the one that people look at: all of those accounts are open and in use.
  const isNew = random.chance(0.04) && person.number > 1
  const mayClose = random.chance(0.08) && person.number > 1
  const activity = kind.activity * (0.4 + random.unit() * 1.2)
  const count = isNew ? 0 : Math.round(world.transactions * activity)
  const isClosed = mayClose && count > 1
  const lastDay = world.lastDay - (isClosed ? random.whole(20, 700) : 0)
  const days = count > 0 ? daysOf(kind, count, historyDaysMax) : random.whole(1, 90)
  const isBusy = kind.activity >= pendingActivityMin && !isClosed && count > 5
  return {
    accountId: holding.accountId,
    holding,
    kind: name,
    productName: random.pick(kind.names),
    openingCents: random.whole(...kind.opens) * 100,
    limitCents: kind.limits ? random.whole(...kind.limits) * 100 : 0,
    rate: random.whole(...kind.rates) / 10_000,
    city: person.home.place.city,
    count,
    pendingCount: isBusy ? random.whole(0, 3) : 0,
    firstDay: lastDay - days + 1,
    lastDay,
    isClosed,
    zones: random.pick(zoneHabits),
  }
}

/** As long as the entries need at their natural pace. Where that is too long, the pace quickens. */
function daysOf({ yearly }: AccountType, count: number, daysMax: number): number {
  return Math.min(Math.ceil((count / yearly) * yearDays), daysMax)
}

/** Posted entries make the balance; pending ones and the credit left decide what is available. */
function balanceOf(
  { accountId, kind, openingCents, limitCents, isClosed }: BankingPlan,
  { postedCents, pendingCents }: HistoryEnd,
  random: Random,
): BankingBalance {
  const isLent = openingCents < 0 && limitCents === 0
  const available = isLent ? 0 : postedCents + pendingCents + (isClosed ? 0 : limitCents)
  const isForeign = kind === 'travel' && random.chance(0.3)
  return {
    accountId,
    currentBalance: moneyText(postedCents),
    availableBalance: moneyText(available),
    ...(isForeign && { currency: random.pick(['EUR', 'NZD', 'USD']) }),
  }
}

/** Whoever has debited the account may do so again. */
function* directDebitLines(
  accountId: string,
  { debits }: HistoryEnd,
  random: Random,
): Generator<string> {
  let number = 0
  for (const [description, { cents, time }] of debits) {
    number += 1
    const debit: DirectDebit = {
      accountId,
      authorisedEntity: {
        description,
        financialInstitution: random.pick(['Wattlebird Bank', 'Saltbush Mutual']),
        ...(random.chance(0.8) && { abn: 99_000_000_000 + random.whole(0, 999_999_999) }),
        ...(random.chance(0.3) && { acn: random.whole(1, 999_999) }),
      },
      lastDebitDateTime: time,
      lastDebitAmount: moneyText(-cents),
    }
    yield lineOf('banking.directDebit', debit, { id: `d-${number}` })
  }
}
