import { getWeekday } from '../../calendar.ts'
import { pickAmountBetween, pickAmountNear } from '../../money.ts'
import type { Random } from '../../random.ts'
import {
  billers,
  createReference,
  employers,
  foreignShops,
  grocers,
  oddShops,
  shops,
} from '../merchants.ts'
import {
  type BehaviourFactory,
  chargeFee,
  chargeInterest,
  type Entry,
  payInterest,
  type RecurringEntry,
  repeatDays,
  repeatMonths,
  transfer,
} from '../schedule.ts'

const lowCents = 20_000
const highCents = 900_000

/** Fortnightly salary, weekly rent and groceries, monthly bills, and small purchases. */
export const everyday: BehaviourFactory = ({ openingCents, rate, firstDay, city }, random) => {
  const salary = random.integer(190_000, 420_000)
  const employer = random.pick(employers)
  const rent = Math.round(salary * (0.12 + random.fraction() * 0.06))
  const grocer = random.pick(grocers)
  const payday = nextWeekday(firstDay, random.pick([2, 3, 4]))
  return {
    opening: transfer('Opening deposit', openingCents),
    recurring: [
      repeatDays(payday, 14, () =>
        transfer(`Salary ${employer}`, salary, `PAYROLL ${random.digits(5)}`),
      ),
      repeatDays(payday + 1, 7, () => transfer('Rent', -rent, `Rent ${city}`)),
      repeatDays(nextWeekday(firstDay, 6), 7, () => ({
        type: 'PAYMENT',
        description: `${grocer} ${city}`,
        cents: -pickAmountNear(random, 14_000, 0.5),
        reference: createReference(random),
      })),
      ...directDebits(firstDay, random),
      repeatMonths(firstDay, 1, 1, (balance) => payInterest(balance, rate)),
      repeatMonths(firstDay, 1, 28, () => chargeFee('Account-keeping fee', 400)),
    ],
    occasional: (balance) => {
      if (balance < lowCents)
        return transfer('Transfer from savings', pickAmountBetween(random, 20_000, 90_000))
      if (balance > highCents)
        return transfer('Transfer to savings', -pickAmountNear(random, 400_000, 0.3))
      return smallPurchase(random, city)
    },
  }
}

/** A monthly statement that is paid in full or in part. */
export const card: BehaviourFactory = ({ rate, limitCents, firstDay, city }, random) => {
  const paysInFull = random.chance(0.6)
  return {
    opening: chargeFee('Annual card fee', random.integer(29, 395) * 100),
    recurring: [
      repeatMonths(firstDay, 1, random.integer(2, 27), (balance) =>
        balance < 0 ? cardPayment(paysInFull ? -balance : Math.round(-balance * 0.4)) : undefined,
      ),
      repeatMonths(firstDay, 1, 28, (balance) =>
        paysInFull ? undefined : chargeInterest(balance, rate),
      ),
      repeatMonths(firstDay + 330, 12, 15, () => chargeFee('Annual card fee', 9500)),
    ],
    occasional: (balance) =>
      balance < -limitCents * 0.8
        ? cardPayment(pickAmountNear(random, limitCents / 4, 0.3))
        : smallPurchase(random, city),
  }
}

/** Loaded in Australian dollars and spent abroad, with a conversion fee. */
export const travel: BehaviourFactory = ({ openingCents, firstDay }, random) => ({
  opening: transfer('Card loaded', openingCents),
  recurring: [
    repeatMonths(firstDay, 1, 20, (balance) =>
      balance > 300 ? chargeFee('Currency conversion 3%', 300) : undefined,
    ),
  ],
  occasional: (balance) => {
    if (balance < 60_000) return transfer('Transfer to card', random.integer(5, 20) * 10_000)
    return purchase(random, foreignShops, '')
  },
})

/** Purchases that are repaid in four fortnightly instalments. */
export const instalments: BehaviourFactory = ({ openingCents, firstDay }, random) => {
  let price = -openingCents
  const instalmentPurchase = (): Entry => {
    const entry = purchase(random, shops, 'in 4 payments')
    price = -entry.cents
    return entry
  }
  const instalment = (balance: number): Entry =>
    transfer('Instalment', Math.min(-balance, Math.ceil(price / 4)))
  return {
    opening: { type: 'PAYMENT', description: 'First purchase in 4 payments', cents: openingCents },
    recurring: [repeatDays(firstDay + 14, 14, (owed) => (owed < 0 ? instalment(owed) : undefined))],
    occasional: (balance) => (balance < -60_000 ? instalment(balance) : instalmentPurchase()),
  }
}

function directDebits(firstDay: number, random: Random): RecurringEntry[] {
  return billers
    .filter(() => random.chance(0.5))
    .map(([name, min, max]) => {
      const cents = -random.integer(min, max)
      const reference = `DD ${random.digits(9)}`
      return repeatMonths(firstDay, 1, random.integer(1, 28), () => ({
        type: 'DIRECT_DEBIT',
        description: name,
        cents,
        reference,
      }))
    })
}

/** Mostly purchases, sometimes a cash withdrawal or a refund. */
function smallPurchase(random: Random, city: string): Entry {
  const choice = random.fraction()
  if (choice < 0.05) {
    const cents = -random.integer(1, 20) * 2000
    return { type: 'OTHER', description: `Cash withdrawal ${city}`, cents }
  }
  if (choice < 0.08) {
    const { description, cents } = purchase(random, shops, city)
    return { type: 'PAYMENT', description: `Refund ${description}`, cents: -cents }
  }
  return purchase(random, choice < 0.12 ? oddShops : shops, city)
}

function purchase(random: Random, merchants: typeof shops, where: string): Entry {
  const [name, min, max] = random.pick(merchants)
  return {
    type: 'PAYMENT',
    description: where ? `${name} ${where}` : name,
    cents: -pickAmountBetween(random, min, max),
    ...(random.chance(0.8) && { reference: createReference(random) }),
  }
}

function cardPayment(cents: number): Entry {
  return transfer('Payment received, thank you', cents)
}

/** The first day after `day` with this weekday. */
function nextWeekday(day: number, weekday: number): number {
  return day + 1 + ((weekday - getWeekday(day + 1) + 7) % 7)
}
