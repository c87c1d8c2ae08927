import { pickAmountBetween } from '../../money.ts'
import {
  type BehaviourFactory,
  chargeFee,
  chargeInterest,
  repeatMonths,
  transfer,
} from '../schedule.ts'

/** A loan that is repaid in equal instalments over `months`. */
export function loan(months: number, drawdown: string, feeCents: number): BehaviourFactory {
  return ({ openingCents, rate, firstDay }, random) => {
    const instalment = calculateInstalment(-openingCents, rate, months)
    return {
      opening: transfer(drawdown, openingCents),
      recurring: [
        repeatMonths(firstDay, 1, random.integer(2, 26), (balance) =>
          balance < 0 ? transfer('Repayment', Math.min(-balance, instalment)) : undefined,
        ),
        repeatMonths(firstDay, 1, 28, (balance) => chargeInterest(balance, rate)),
        repeatMonths(firstDay, 6, 30, () => chargeFee('Loan service fee', feeCents)),
      ],
      occasional: (balance) =>
        balance < openingCents / 2 && random.chance(0.85)
          ? transfer(
              'Extra repayment',
              Math.min(-balance, pickAmountBetween(random, 5000, instalment)),
            )
          : transfer('Redraw', -pickAmountBetween(random, 10_000, instalment)),
    }
  }
}

/** Shares bought on credit, sold, and their dividends. */
export const margin: BehaviourFactory = ({ openingCents, rate, firstDay }, random) => ({
  opening: transfer('First drawdown', openingCents),
  recurring: [repeatMonths(firstDay, 1, 28, (balance) => chargeInterest(balance, rate))],
  occasional: (balance) => {
    const reference = `CN${random.digits(7)}`
    if (random.chance(0.25) && balance < openingCents / 4) {
      const cents = pickAmountBetween(random, 3000, 90_000)
      return { type: 'OTHER', description: 'Dividend, 100% franked', cents, reference }
    }
    const cents = pickAmountBetween(random, 50_000, 900_000)
    return balance < openingCents || (balance < -cents && random.chance(0.5))
      ? transfer('Shares sold', cents, reference)
      : transfer('Shares bought', -cents, reference)
  },
})

function calculateInstalment(cents: number, rate: number, months: number): number {
  const monthly = rate / 12
  return Math.ceil((cents * monthly) / (1 - (1 + monthly) ** -months))
}
