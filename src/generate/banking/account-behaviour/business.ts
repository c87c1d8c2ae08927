import { pickAmountBetween, pickAmountNear } from '../../money.ts'
import type { Random } from '../../random.ts'
import { createReference, suppliers } from '../merchants.ts'
import {
  type BehaviourFactory,
  chargeFee,
  chargeInterest,
  type Entry,
  repeatDays,
  repeatMonths,
  transfer,
} from '../schedule.ts'

/** Takings, supplier payments and wages that keep the balance near the opening amount. */
export const merchant: BehaviourFactory = ({ openingCents, firstDay, city }, random) => ({
  opening: transfer('Opening deposit', openingCents),
  recurring: [
    repeatDays(firstDay + random.integer(3, 14), 14, (balance) =>
      balance > 0
        ? { type: 'TRANSFER_OUTGOING', description: 'Wages', cents: -Math.round(balance * 0.3) }
        : undefined,
    ),
    repeatMonths(firstDay, 3, 28, (balance) =>
      balance > 0
        ? { type: 'PAYMENT', description: 'Activity statement', cents: -Math.round(balance * 0.1) }
        : undefined,
    ),
    repeatMonths(firstDay, 1, 1, () => chargeFee('Merchant terminal fee', 2750)),
  ],
  occasional: (balance) => createTrade(random, city, balance < openingCents),
})

/** Business transactions on a negative balance, with interest. */
export const overdraft: BehaviourFactory = (
  { openingCents, limitCents, rate, firstDay, city },
  random,
) => ({
  opening: { type: 'PAYMENT', description: random.pick(suppliers), cents: openingCents },
  recurring: [
    repeatMonths(firstDay, 1, 28, (balance) => chargeInterest(balance, rate)),
    repeatMonths(firstDay, 12, 28, () =>
      chargeFee('Line fee 1.2%', Math.round(limitCents * 0.012)),
    ),
  ],
  occasional: (balance) => createTrade(random, city, balance < -limitCents / 2),
})

/** Letters of credit that are drawn for imports and repaid after the sale. */
export const trade: BehaviourFactory = ({ openingCents, rate, firstDay }, random) => {
  const drawn = (cents: number): Entry =>
    transfer(
      `Letter of credit LC_${random.digits(5)} drawn`,
      cents,
      random.pick(['Fremantle, 2 × 40 ft', 'Port Botany \\ gate 3', 'Genève → Sydney']),
    )
  return {
    opening: drawn(openingCents),
    recurring: [repeatMonths(firstDay, 1, 28, (balance) => chargeInterest(balance, rate))],
    occasional: (balance) =>
      balance < openingCents / 2
        ? transfer(
            'Trade loan repaid',
            pickAmountBetween(random, Math.round(-balance / 10), -balance),
          )
        : drawn(pickAmountNear(random, openingCents, 0.6)),
  }
}

/** Client money: deposited for a sale and paid out at settlement. The balance is never negative. */
export const trust: BehaviourFactory = ({ openingCents, firstDay }, random) => {
  const matter = () => `Matter ${random.digits(4)}, Lot ${random.integer(1, 90)}`
  return {
    opening: transfer('Trust deposit', openingCents),
    recurring: [repeatMonths(firstDay, 3, 15, () => chargeFee('Audit fee', 5500))],
    occasional: (balance) =>
      balance > openingCents && random.chance(0.7)
        ? transfer(
            `Settlement ${matter()}`,
            -pickAmountBetween(random, Math.round(balance / 20), Math.round(balance / 2)),
          )
        : transfer(
            `Deposit held, ${matter()}`,
            pickAmountBetween(random, 50_000, 9_000_000),
            createReference(random),
          ),
  }
}

function createTrade(random: Random, city: string, needsMoney: boolean): Entry {
  if (random.chance(needsMoney ? 0.8 : 0.45)) {
    return transfer(
      random.pick(['Card takings', `Card takings ${city}`, 'Invoice paid']),
      pickAmountBetween(random, 2000, 180_000),
      createReference(random),
    )
  }
  return {
    type: 'PAYMENT',
    description: random.pick(suppliers),
    cents: -pickAmountBetween(random, 1500, 200_000),
    reference: createReference(random),
  }
}
