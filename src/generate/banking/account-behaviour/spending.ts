import { weekdayOf } from '../../calendar.ts'
import { amountBetween, amountNear } from '../../money.ts'
import type { Random } from '../../random.ts'
import {
  billers,
  employers,
  foreignShops,
  grocers,
  oddShops,
  referenceOf,
  shops,
} from '../merchants.ts'
import {
  type BehaviourFactory,
  type Entry,
  everyDays,
  everyMonths,
  interestCharged,
  interestPaid,
  type Regular,
} from '../schedule.ts'

const lowCents = 20_000
const highCents = 900_000

/** Salary each second week, rent and groceries each week, bills by the month, and the small things. */
export const everyday: BehaviourFactory = ({ openingCents, rate, firstDay, city }, random) => {
  const salary = random.whole(190_000, 420_000)
  const employer = random.pick(employers)
  const rent = Math.round(salary * (0.12 + random.unit() * 0.06))
  const grocer = random.pick(grocers)
  const payday = onWeekday(firstDay, random.pick([2, 3, 4]))
  return {
    opening: { type: 'TRANSFER_INCOMING', description: 'Opening deposit', cents: openingCents },
    regulars: [
      everyDays(payday, 14, () => ({
        type: 'TRANSFER_INCOMING',
        description: `Salary ${employer}`,
        cents: salary,
        reference: `PAYROLL ${random.digits(5)}`,
      })),
      everyDays(payday + 1, 7, () => ({
        type: 'TRANSFER_OUTGOING',
        description: 'Rent',
        cents: -rent,
        reference: `Rent ${city}`,
      })),
      everyDays(onWeekday(firstDay, 6), 7, () => ({
        type: 'PAYMENT',
        description: `${grocer} ${city}`,
        cents: -amountNear(random, 14_000, 0.5),
        reference: referenceOf(random),
      })),
      ...directDebits(firstDay, random),
      everyMonths(firstDay, 1, 1, (balance) => interestPaid(balance, rate)),
      everyMonths(firstDay, 1, 28, () => ({
        type: 'FEE',
        description: 'Account-keeping fee',
        cents: -400,
      })),
    ],
    occasional: (balance) => {
      if (balance < lowCents) return transfer('from savings', amountBetween(random, 20_000, 90_000))
      if (balance > highCents) return transfer('to savings', -amountNear(random, 400_000, 0.3))
      return small(random, city)
    },
  }
}

/** A statement that is paid each month, in full or in part. */
export const card: BehaviourFactory = ({ rate, limitCents, firstDay, city }, random) => {
  const paysInFull = random.chance(0.6)
  return {
    opening: { type: 'FEE', description: 'Annual card fee', cents: -random.whole(29, 395) * 100 },
    regulars: [
      everyMonths(firstDay, 1, random.whole(2, 27), (balance) =>
        balance < 0 ? thanks(paysInFull ? -balance : Math.round(-balance * 0.4)) : undefined,
      ),
      everyMonths(firstDay, 1, 28, (balance) =>
        paysInFull ? undefined : interestCharged(balance, rate),
      ),
      everyMonths(firstDay + 330, 12, 15, () => ({
        type: 'FEE',
        description: 'Annual card fee',
        cents: -9500,
      })),
    ],
    occasional: (balance) =>
      balance < -limitCents * 0.8
        ? thanks(amountNear(random, limitCents / 4, 0.3))
        : small(random, city),
  }
}

/** Loaded at home, spent abroad, with a fee for each change of money. */
export const travel: BehaviourFactory = ({ openingCents, firstDay }, random) => ({
  opening: { type: 'TRANSFER_INCOMING', description: 'Card loaded', cents: openingCents },
  regulars: [
    everyMonths(firstDay, 1, 20, (balance) =>
      balance > 300
        ? { type: 'FEE', description: 'Currency conversion 3%', cents: -300 }
        : undefined,
    ),
  ],
  occasional: (balance) => {
    if (balance < 60_000) return transfer('to card', random.whole(5, 20) * 10_000)
    return bought(random, foreignShops, '')
  },
})

/** A purchase, paid off in four parts, a fortnight apart. */
export const instalments: BehaviourFactory = ({ openingCents, firstDay }, random) => {
  let price = -openingCents
  const purchase = (): Entry => {
    const entry = bought(random, shops, 'in 4 payments')
    price = -entry.cents
    return entry
  }
  const instalment = (balance: number): Entry => ({
    type: 'TRANSFER_INCOMING',
    description: 'Instalment',
    cents: Math.min(-balance, Math.ceil(price / 4)),
  })
  return {
    opening: { type: 'PAYMENT', description: 'First purchase in 4 payments', cents: openingCents },
    regulars: [everyDays(firstDay + 14, 14, (owed) => (owed < 0 ? instalment(owed) : undefined))],
    occasional: (balance) => (balance < -60_000 ? instalment(balance) : purchase()),
  }
}

function directDebits(firstDay: number, random: Random): Regular[] {
  return billers
    .filter(() => random.chance(0.5))
    .map(([name, least, most]) => {
      const cents = -random.whole(least, most)
      const reference = `DD ${random.digits(9)}`
      return everyMonths(firstDay, 1, random.whole(1, 28), () => ({
        type: 'DIRECT_DEBIT',
        description: name,
        cents,
        reference,
      }))
    })
}

/** Shopping, mostly; now and then cash, or money back. */
function small(random: Random, city: string): Entry {
  const kind = random.unit()
  if (kind < 0.05) {
    const cents = -random.whole(1, 20) * 2000
    return { type: 'OTHER', description: `Cash withdrawal ${city}`, cents }
  }
  if (kind < 0.08) {
    const { description, cents } = bought(random, shops, city)
    return { type: 'PAYMENT', description: `Refund ${description}`, cents: -cents }
  }
  return bought(random, kind < 0.12 ? oddShops : shops, city)
}

function bought(random: Random, merchants: typeof shops, where: string): Entry {
  const [name, least, most] = random.pick(merchants)
  return {
    type: 'PAYMENT',
    description: where ? `${name} ${where}` : name,
    cents: -amountBetween(random, least, most),
    ...(random.chance(0.8) && { reference: referenceOf(random) }),
  }
}

function transfer(what: string, cents: number): Entry {
  const type = cents > 0 ? 'TRANSFER_INCOMING' : 'TRANSFER_OUTGOING'
  return { type, description: `Transfer ${what}`, cents }
}

function thanks(cents: number): Entry {
  return { type: 'TRANSFER_INCOMING', description: 'Payment received, thank you', cents }
}

/** The first such day of the week after a day. */
function onWeekday(day: number, weekday: number): number {
  return day + 1 + ((weekday - weekdayOf(day + 1) + 7) % 7)
}
