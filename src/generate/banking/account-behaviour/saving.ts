import { amountBetween } from '../../money.ts'
import { type BehaviourFactory, everyDays, everyMonths, interestPaid } from '../schedule.ts'

/** A little put aside each second week, interest each month, something taken out when it is needed. */
export const savings: BehaviourFactory = ({ openingCents, rate, firstDay }, random) => {
  const aside = random.whole(2, 16) * 2500
  return {
    opening: { type: 'TRANSFER_INCOMING', description: 'Opening deposit', cents: openingCents },
    regulars: [
      everyDays(firstDay + random.whole(1, 14), 14, () => ({
        type: 'TRANSFER_INCOMING',
        description: 'Regular saving',
        cents: aside,
        reference: 'Holiday ✈ & rainy days',
      })),
      everyMonths(firstDay, 1, 1, (balance) => interestPaid(balance, rate)),
    ],
    occasional: (balance) =>
      balance > 100_000 && random.chance(0.6)
        ? {
            type: 'TRANSFER_OUTGOING',
            description: 'Transfer to everyday account',
            cents: -amountBetween(random, 5000, Math.min(balance / 2, 250_000)),
          }
        : {
            type: 'TRANSFER_INCOMING',
            description: random.pick(['Extra saving', 'Birthday money', 'Tax refund 100%']),
            cents: amountBetween(random, 2000, 180_000),
          },
  }
}

/** Interest each quarter; what is added or taken out comes at the end of a term. */
export const termDeposit: BehaviourFactory = ({ openingCents, rate, firstDay }, random) => ({
  opening: { type: 'TRANSFER_INCOMING', description: 'Term deposit lodged', cents: openingCents },
  regulars: [everyMonths(firstDay + 60, 3, 15, (balance) => interestPaid(balance * 3, rate))],
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
          cents: random.whole(1, 50) * 10_000,
        },
})
