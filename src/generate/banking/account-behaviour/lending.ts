import { pickAmountBetween } from '../../money.ts'
import { type BehaviourFactory, chargeInterest, type Entry, repeatMonths } from '../schedule.ts'

/** A loan that is repaid in equal instalments over `months`. */
export function loan(months: number, drawdown: string, feeCents: number): BehaviourFactory {
  return ({ openingCents, rate, firstDay }, random) => {
    const instalment = calculateInstalment(-openingCents, rate, months)
    const repayment = (owed: number, max: number, description: string): Entry => ({
      type: 'TRANSFER_INCOMING',
      description,
      cents: Math.min(owed, max),
    })
    return {
      opening: { type: 'TRANSFER_OUTGOING', description: drawdown, cents: openingCents },
      recurring: [
        repeatMonths(firstDay, 1, random.integer(2, 26), (balance) =>
          balance < 0 ? repayment(-balance, instalment, 'Repayment') : undefined,
        ),
        repeatMonths(firstDay, 1, 28, (balance) => chargeInterest(balance, rate)),
        repeatMonths(firstDay, 6, 30, () => ({
          type: 'FEE',
          description: 'Loan service fee',
          cents: -feeCents,
        })),
      ],
      occasional: (balance) =>
        balance < openingCents / 2 && random.chance(0.85)
          ? repayment(-balance, pickAmountBetween(random, 5000, instalment), 'Extra repayment')
          : {
              type: 'TRANSFER_OUTGOING',
              description: 'Redraw',
              cents: -pickAmountBetween(random, 10_000, instalment),
            },
    }
  }
}

/** Shares bought on credit, sold, and their dividends. */
export const margin: BehaviourFactory = ({ openingCents, rate, firstDay }, random) => ({
  opening: { type: 'TRANSFER_OUTGOING', description: 'First drawdown', cents: openingCents },
  recurring: [repeatMonths(firstDay, 1, 28, (balance) => chargeInterest(balance, rate))],
  occasional: (balance) => {
    const reference = `CN${random.digits(7)}`
    if (random.chance(0.25) && balance < openingCents / 4) {
      const cents = pickAmountBetween(random, 3000, 90_000)
      return { type: 'OTHER', description: 'Dividend, 100% franked', cents, reference }
    }
    const cents = pickAmountBetween(random, 50_000, 900_000)
    return balance < openingCents || (balance < -cents && random.chance(0.5))
      ? { type: 'TRANSFER_INCOMING', description: 'Shares sold', cents, reference }
      : { type: 'TRANSFER_OUTGOING', description: 'Shares bought', cents: -cents, reference }
  },
})

export function calculateInstalment(cents: number, rate: number, months: number): number {
  const monthly = rate / 12
  return Math.ceil((cents * monthly) / (1 - (1 + monthly) ** -months))
}
