import type { ScheduledPayment } from '../../contract/index.ts'
import { formatDate, formatTime, type Zone } from '../calendar.ts'
import { formatMoney, pickAmountBetween } from '../money.ts'
import { formatLine, type GenerationContext } from '../options.ts'
import type { Ownership } from '../ownership.ts'
import type { Random } from '../random.ts'
import { suppliers } from './merchants.ts'

type PaymentSet = NonNullable<ScheduledPayment['paymentSet']>
type Target = PaymentSet['to']
type Domestic = NonNullable<Target['domestic']>
type Recurrence = NonNullable<ScheduledPayment['recurrence']>

interface Parties {
  readonly payer: string
  readonly payeeID: string
  /** The payer's other accounts. */
  readonly siblingIds: readonly string[]
}

const names = [
  'Rent',
  'Car, monthly',
  'School fees',
  'Mum & Dad',
  'Crèche',
  'Savings 10%',
  'Boat_fund',
]

export function* generateScheduledPayments(
  context: GenerationContext,
  { accountId, siblingIds, holders }: Ownership,
  random: Random,
): Generator<string> {
  const count = random.chance(0.7) ? random.integer(1, 3) : 0
  const payer = holders[0].person.name
  for (let number = 1; number <= count; number += 1) {
    const scheduledPaymentId = `s-${accountId}-${number}`
    const nickname = random.pick(names)
    const payment: ScheduledPayment = {
      scheduledPaymentId,
      nickname,
      payerReference: `${nickname} ${random.digits(3)}`,
      ...(random.chance(0.4) && { payeeReference: `Thanks for "${nickname}"` }),
      status: random.pick(['ACTIVE', 'ACTIVE', 'ACTIVE', 'INACTIVE', 'SKIP'] as const),
      from: { accountId },
      paymentSet: createPaymentSet(
        { payer, payeeID: `payee-${scheduledPaymentId}`, siblingIds },
        random,
      ),
      recurrence: createRecurrence(context.lastDay + random.integer(2, 45), random),
    }
    yield formatLine('banking.scheduledPayment', payment)
  }
}

/** A calculated amount, such as a card's balance, is not known in advance. */
function createPaymentSet(parties: Parties, random: Random): PaymentSet {
  const to = createTarget(parties, random)
  if (random.chance(0.1)) return { to, isAmountCalculated: true }
  const amount = formatMoney(pickAmountBetween(random, 1000, 180_000))
  return { to, isAmountCalculated: false, amount }
}

/** Another account of the payer if there is one, or else a payee of each kind. Only a digital wallet is no registered payee. */
function createTarget({ payer, payeeID, siblingIds }: Parties, random: Random): Target {
  if (siblingIds.length > 0 && random.chance(0.4)) {
    const accountId = random.pick(siblingIds)
    return { toUType: 'accountId', accountId, payeeID, domestic: createDomestic(0, payer, random) }
  }
  const payee = random.pick(suppliers)
  switch (random.integer(1, 6)) {
    case 1:
    case 2:
      return {
        toUType: 'domestic',
        payeeID,
        domestic: createDomestic(random.integer(0, 2), payee, random),
      }
    case 3:
      return {
        toUType: 'payeeId',
        accountId: `account-of-${payeeID}`,
        payeeID,
        nickname: payee,
        domestic: createDomestic(0, payee, random),
      }
    case 4:
      return {
        toUType: 'biller',
        payeeID,
        biller: { billerCode: random.digits(6), crn: random.digits(10), billerName: payee },
      }
    case 5:
      return {
        toUType: 'digitalWallet',
        payeeReference: 'Wallet',
        digitalWallet: {
          identifier: `wallet.${random.digits(4)}@example.org`,
          type: 'EMAIL',
          provider: 'OTHER',
          name: payee,
        },
      }
    default:
      return {
        toUType: 'international',
        payeeID,
        international: {
          beneficiaryDetails: { country: 'NZL', name: 'Ngaire Walker', message: 'Ngā mihi' },
          bankDetails: {
            country: 'NZL',
            accountNumber: `99-${random.digits(4)}-${random.digits(7)}-00`,
            bankAddress: { name: 'Long Cloud Bank', address: '1 Example Quay, Wellington' },
          },
        },
      }
  }
}

function createDomestic(kind: number, accountName: string, random: Random): Domestic {
  if (kind === 1) {
    return { payeeAccountUType: 'card', card: { cardNumber: `xxxx xxxx xxxx ${random.digits(4)}` } }
  }
  if (kind === 2) {
    const identifier = `pay.${random.digits(5)}@example.com`
    return { payeeAccountUType: 'payId', payId: { identifier, type: 'EMAIL', name: accountName } }
  }
  const bsb = random.integer(999_000, 999_099)
  const accountNumber = Number(random.digits(8))
  return { payeeAccountUType: 'account', account: { accountName, bsb, accountNumber } }
}

function createRecurrence(nextDay: number, random: Random): Recurrence {
  const zone: Zone = random.pick(['local', 'utc'])
  const nextPaymentDate = formatTime(nextDay, 9 * 3_600_000, zone)
  switch (random.integer(1, 8)) {
    case 1:
      return { reccurenceUType: 'onceOff', onceOff: { paymentDate: formatDate(nextDay) } }
    case 2:
      return {
        nextPaymentDate,
        reccurenceUType: 'lastWeekDay',
        lastWeekDay: { interval: 'P1M', lastWeekDay: 'FRI', nonBusinessDayTreatment: 'BEFORE' },
      }
    case 3:
      return {
        reccurenceUType: 'eventBased',
        eventBased: { description: 'When the card statement is issued' },
      }
    default:
      return {
        nextPaymentDate,
        reccurenceUType: 'intervalSchedule',
        intervalSchedule: {
          intervals: random.pick([
            [{ interval: 'P7D' }],
            [{ interval: 'P14D' }],
            [
              { interval: 'P1M', dayInInterval: 'P14D' },
              { interval: 'P1M', dayInInterval: 'P28D' },
            ],
          ]),
          ...(random.chance(0.3) && { paymentsRemaining: random.integer(1, 60) }),
        },
      }
  }
}
