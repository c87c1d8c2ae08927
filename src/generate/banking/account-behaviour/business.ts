import { amountBetween, amountNear } from '../../money.ts'
import type { Random } from '../../random.ts'
import { referenceOf, suppliers } from '../merchants.ts'
import {
  type BehaviourFactory,
  type Entry,
  everyDays,
  everyMonths,
  interestCharged,
} from '../schedule.ts'

/** Takings in, suppliers and wages out, around a balance that the firm likes to keep. */
export const merchant: BehaviourFactory = ({ openingCents, firstDay, city }, random) => ({
  opening: { type: 'TRANSFER_INCOMING', description: 'Opening deposit', cents: openingCents },
  regulars: [
    everyDays(firstDay + random.whole(3, 14), 14, (balance) =>
      balance > 0
        ? { type: 'TRANSFER_OUTGOING', description: 'Wages', cents: -Math.round(balance * 0.3) }
        : undefined,
    ),
    everyMonths(firstDay, 3, 28, (balance) =>
      balance > 0
        ? { type: 'PAYMENT', description: 'Activity statement', cents: -Math.round(balance * 0.1) }
        : undefined,
    ),
    everyMonths(firstDay, 1, 1, () => ({
      type: 'FEE',
      description: 'Merchant terminal fee',
      cents: -2750,
    })),
  ],
  occasional: (balance) => trading(random, city, balance < openingCents),
})

/** The same below zero, with interest. */
export const overdraft: BehaviourFactory = (
  { openingCents, limitCents, rate, firstDay, city },
  random,
) => ({
  opening: { type: 'PAYMENT', description: random.pick(suppliers), cents: openingCents },
  regulars: [
    everyMonths(firstDay, 1, 28, (balance) => interestCharged(balance, rate)),
    everyMonths(firstDay, 12, 28, () => ({
      type: 'FEE',
      description: 'Line fee 1.2%',
      cents: -Math.round(limitCents * 0.012),
    })),
  ],
  occasional: (balance) => trading(random, city, balance < -limitCents / 2),
})

/** Goods paid for on arrival, the bank repaid when they are sold. */
export const trade: BehaviourFactory = ({ openingCents, rate, firstDay }, random) => {
  const drawn = (cents: number): Entry => ({
    type: 'TRANSFER_OUTGOING',
    description: `Letter of credit LC_${random.digits(5)} drawn`,
    cents,
    reference: random.pick(['Fremantle, 2 × 40 ft', 'Port Botany \\ gate 3', 'Genève → Sydney']),
  })
  return {
    opening: drawn(openingCents),
    regulars: [everyMonths(firstDay, 1, 28, (balance) => interestCharged(balance, rate))],
    occasional: (balance) =>
      balance < openingCents / 2
        ? {
            type: 'TRANSFER_INCOMING',
            description: 'Trade loan repaid',
            cents: amountBetween(random, Math.round(-balance / 10), -balance),
          }
        : drawn(amountNear(random, openingCents, 0.6)),
  }
}

/** Other people's money: held for a sale, paid out when it settles, never below zero. */
export const trust: BehaviourFactory = ({ openingCents, firstDay }, random) => {
  const matter = () => `Matter ${random.digits(4)}, Lot ${random.whole(1, 90)}`
  return {
    opening: { type: 'TRANSFER_INCOMING', description: 'Trust deposit', cents: openingCents },
    regulars: [
      everyMonths(firstDay, 3, 15, () => ({ type: 'FEE', description: 'Audit fee', cents: -5500 })),
    ],
    occasional: (balance) =>
      balance > openingCents && random.chance(0.7)
        ? {
            type: 'TRANSFER_OUTGOING',
            description: `Settlement ${matter()}`,
            cents: -amountBetween(random, Math.round(balance / 20), Math.round(balance / 2)),
          }
        : {
            type: 'TRANSFER_INCOMING',
            description: `Deposit held, ${matter()}`,
            cents: amountBetween(random, 50_000, 9_000_000),
            reference: referenceOf(random),
          },
  }
}

function trading(random: Random, city: string, needsMoney: boolean): Entry {
  if (random.chance(needsMoney ? 0.8 : 0.45)) {
    return {
      type: 'TRANSFER_INCOMING',
      description: random.pick(['Card takings', `Card takings ${city}`, 'Invoice paid']),
      cents: amountBetween(random, 2000, 180_000),
      reference: referenceOf(random),
    }
  }
  return {
    type: 'PAYMENT',
    description: random.pick(suppliers),
    cents: -amountBetween(random, 1500, 200_000),
    reference: referenceOf(random),
  }
}
