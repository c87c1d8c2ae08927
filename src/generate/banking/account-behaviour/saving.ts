import { pickAmountBetween } from '../../money.ts'
import {
  type BehaviourFactory,
  payInterest,
  repeatDays,
  repeatMonths,
  transfer,
} from '../schedule.ts'

/** Fortnightly deposits, monthly interest and occasional withdrawals. */
export const savings: BehaviourFactory = ({ openingCents, rate, firstDay }, random) => {
  const deposit = random.integer(2, 16) * 2500
  return {
    opening: transfer('Opening deposit', openingCents),
    recurring: [
      repeatDays(firstDay + random.integer(1, 14), 14, () =>
        transfer('Regular saving', deposit, 'Holiday ✈ & rainy days'),
      ),
      repeatMonths(firstDay, 1, 1, (balance) => payInterest(balance, rate)),
    ],
    occasional: (balance) =>
      balance > 100_000 && random.chance(0.6)
        ? transfer(
            'Transfer to everyday account',
            -pickAmountBetween(random, 5000, Math.min(balance / 2, 250_000)),
          )
        : transfer(
            random.pick(['Extra saving', 'Birthday money', 'Tax refund 100%']),
            pickAmountBetween(random, 2000, 180_000),
          ),
  }
}

/** Quarterly interest; deposits and withdrawals at the end of a term. */
export const termDeposit: BehaviourFactory = ({ openingCents, rate, firstDay }, random) => ({
  opening: transfer('Term deposit lodged', openingCents),
  recurring: [repeatMonths(firstDay + 60, 3, 15, (balance) => payInterest(balance * 3, rate))],
  occasional: (balance) =>
    balance > openingCents && random.chance(0.5)
      ? transfer('Interest paid out', openingCents - balance)
      : transfer('Added on rollover', random.integer(1, 50) * 10_000),
})
