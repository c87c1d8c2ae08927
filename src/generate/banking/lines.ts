import type { BankingBalance, DirectDebit } from '../../contract/index.ts'
import type { Zone } from '../calendar.ts'
import { generateContact } from '../contact.ts'
import { formatMoney } from '../money.ts'
import { formatLine, type GenerationContext } from '../options.ts'
import type { Ownership } from '../ownership.ts'
import { createRandom, type Random } from '../random.ts'
import { type BankingPlan, createBankingAccount } from './account.ts'
import { type AccountType, type AccountTypeName, getAccountType } from './account-types.ts'
import { generateHistory, type HistoryEnd } from './history.ts'
import { generateScheduledPayments } from './payments.ts'

const yearDays = 365
const historyDaysMax = 10 * yearDays
const largeHistoryDaysMax = 3 * yearDays
/** Only accounts with at least this activity have pending entries. */
const pendingActivityMin = 0.6

/** Account types with scheduled payments. */
const payingTypes = new Set<AccountTypeName>(['everyday', 'merchant', 'savings', 'overdraft'])

const zoneChoices: readonly (readonly Zone[])[] = [['local'], ['utc'], ['local', 'utc']]

export function generateBankingAccount(
  context: GenerationContext,
  ownership: Ownership,
  accountType: AccountTypeName,
): Generator<string> {
  const random = createRandom(context.seed, 'banking', ownership.accountId)
  return generateLines(context, createPlan(context, ownership, accountType, random), random)
}

/** The account that `largeAccount` requests: exactly `count` transactions, within three years. */
export function generateLargeAccount(
  context: GenerationContext,
  ownership: Ownership,
  count: number,
): Generator<string> {
  const random = createRandom(context.seed, 'large')
  const plan = createPlan(context, ownership, 'merchant', random)
  const days = countDays(getAccountType('merchant'), count, largeHistoryDaysMax)
  const firstDay = plan.lastDay - days + 1
  return generateLines(
    context,
    { ...plan, count, firstDay, pendingCount: count > 5 ? 2 : 0 },
    random,
  )
}

function* generateLines(
  context: GenerationContext,
  plan: BankingPlan,
  random: Random,
): Generator<string> {
  const { ownership, accountId, isClosed } = plan
  const holders = ownership.holders.map(({ person, isOwned }) => ({
    customerId: person.customerId,
    isOwned,
  }))
  yield formatLine('banking.account', createBankingAccount(plan, random), { holders })
  const behaviour = getAccountType(plan.accountType).createBehaviour(plan, random)
  const end = plan.count > 0 ? yield* generateHistory(plan, behaviour, random) : emptyHistory
  yield formatLine('banking.balance', createBalance(plan, end, random))
  yield* generateDirectDebits(accountId, end, random)
  if (!isClosed && payingTypes.has(plan.accountType)) {
    yield* generateScheduledPayments(context, ownership, random)
  }
  yield* generateContact(ownership, isClosed, random)
}

const emptyHistory: HistoryEnd = { postedCents: 0, pendingCents: 0, debits: new Map() }

function createPlan(
  context: GenerationContext,
  ownership: Ownership,
  accountType: AccountTypeName,
  random: Random,
): BankingPlan {
  const type = getAccountType(accountType)
  const [{ person }] = ownership.holders
  // The first customer is the one that users look at: all of its accounts are open and in use.
  const isNew = random.chance(0.04) && person.number > 1
  const mayClose = random.chance(0.08) && person.number > 1
  const activity = type.activity * (0.4 + random.fraction() * 1.2)
  const count = isNew ? 0 : Math.round(context.transactions * activity)
  const isClosed = mayClose && count > 1
  const lastDay = context.lastDay - (isClosed ? random.integer(20, 700) : 0)
  const days = count > 0 ? countDays(type, count, historyDaysMax) : random.integer(1, 90)
  const isBusy = type.activity >= pendingActivityMin && !isClosed && count > 5
  return {
    accountId: ownership.accountId,
    ownership,
    accountType,
    productName: random.pick(type.names),
    openingCents: random.integer(...type.openingDollars) * 100,
    limitCents: type.limitDollars ? random.integer(...type.limitDollars) * 100 : 0,
    rate: random.integer(...type.rateBasisPoints) / 10_000,
    city: person.home.place.city,
    count,
    pendingCount: isBusy ? random.integer(0, 3) : 0,
    firstDay: lastDay - days + 1,
    lastDay,
    isClosed,
    zones: random.pick(zoneChoices),
  }
}

/** The days that `count` entries take at the usual rate, limited to `daysMax`. */
function countDays({ entriesPerYear }: AccountType, count: number, daysMax: number): number {
  return Math.min(Math.ceil((count / entriesPerYear) * yearDays), daysMax)
}

/** The balance is the sum of posted entries; the available balance adds pending entries and the credit limit. */
function createBalance(
  { accountId, accountType, openingCents, limitCents, isClosed }: BankingPlan,
  { postedCents, pendingCents }: HistoryEnd,
  random: Random,
): BankingBalance {
  const isLent = openingCents < 0 && limitCents === 0
  const available = isLent ? 0 : postedCents + pendingCents + (isClosed ? 0 : limitCents)
  const isForeign = accountType === 'travel' && random.chance(0.3)
  return {
    accountId,
    currentBalance: formatMoney(postedCents),
    availableBalance: formatMoney(available),
    ...(isForeign && { currency: random.pick(['EUR', 'NZD', 'USD']) }),
  }
}

/** One authorisation for each creditor that has debited the account. */
function* generateDirectDebits(
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
        ...(random.chance(0.8) && { abn: 99_000_000_000 + random.integer(0, 999_999_999) }),
        ...(random.chance(0.3) && { acn: random.integer(1, 999_999) }),
      },
      lastDebitDateTime: time,
      lastDebitAmount: formatMoney(-cents),
    }
    yield formatLine('banking.directDebit', debit, { id: `d-${number}` })
  }
}
