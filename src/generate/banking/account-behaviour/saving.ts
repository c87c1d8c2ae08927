import { pickAmountBetween } from '../../money.ts'
import { type BehaviourFactory, payInterest, repeatDays, repeatMonths } from '../schedule.ts'

/** Fortnightly deposits, monthly interest and occasional withdrawals. */
export const savings: BehaviourFactory = ({ openingCents, rate, firstDay }, random) => {
  const deposit = random.integer(2, 16) * 2500
  return {
    opening: { type: 'TRANSFER_INCOMING', description: 'Opening deposit', cents: openingCents },
    recurring: [
      repeatDays(firstDay + random.integer(1, 14), 14, () => ({
        type: 'TRANSFER_INCOMING',
        description: 'Regular saving',
        cents: deposit,
        reference: 'Holiday ✈ & rainy days',
      })),
      repeatMonths(firstDay, 1, 1, (balance) => payInterest(balance, rate)),
    ],
    occasional: (balance) =>
      balance > 100_000 && random.chance(0.6)
        ? {
            type: 'TRANSFER_OUTGOING',
            description: 'Transfer to everyday account',
            cents: -pickAmountBetween(random, 5000, Math.min(balance / 2, 250_000)),
          }
        : {
            type: 'TRANSFER_INCOMING',
            description: random.pick(['Extra saving', 'Birthday money', 'Tax refund 100%']),
            cents: pickAmountBetween(random, 2000, 180_000),
          },
  }
}

/** Quarterly interest; deposits and withdrawals at the end of a term. */
export const termDeposit: BehaviourFactory = ({ openingCents, rate, firstDay }, random) => ({
  opening: { type: 'TRANSFER_INCOMING', description: 'Term deposit lodged', cents: openingCents },
  recurring: [repeatMonths(firstDay + 60, 3, 15, (balance) => payInterest(balance * 3, rate))],
  occasional: (balance) =>
    balance > openingCents && random.chance(0.5)
      ? {
          type: 'TRANSFER_OUTGOING',
          description: 'Interest paid out',
          cents: openingCents - balance,
        }
      : {
          type: 'TRANSFER_INCOMING',
          description: 'Added on rollover',
          cents: random.integer(1, 50) * 10_000,
        },
})
