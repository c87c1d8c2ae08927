export interface Account {
  readonly accountId: string
  readonly displayName: string
  readonly maskedNumber: string
  readonly productCategory: string
}

export interface Balance {
  readonly accountId: string
  readonly currentBalance: string
  readonly availableBalance: string
  readonly currency: string
}

export interface Transaction {
  readonly type: string
  readonly description: string
  readonly postingDateTime?: string
  readonly executionDateTime?: string
  readonly amount: string
  readonly currency: string
}

/** Months in the chart. */
export const monthCount = 6
const merchantsMax = 8

/** Amounts are whole cents. */
export interface Month {
  /** The first day, such as 2026-11-01. */
  readonly start: string
  readonly moneyIn: number
  readonly moneyOut: number
}

interface Merchant {
  readonly name: string
  readonly payments: number
  readonly cents: number
}

export interface Budget {
  readonly months: readonly Month[]
  readonly merchants: readonly Merchant[]
}

/** What the customer shared, as Example Budget shows it. */
export interface SharedData extends Budget {
  /** Of the customer. */
  readonly name: string | undefined
  readonly accounts: readonly (Account & { readonly balance: Balance | undefined })[]
  readonly transactionCount: number
  readonly currency: string
  readonly read: Temporal.Instant
}

/** Salary and rent are transfers, too: those between own accounts are recognised by their description. */
const ownTransfer = /saving|transfer|repayment/i

/** Money in and out by month, and the largest merchants. Transfers between own accounts are left out. */
export function computeBudget(
  transactions: readonly Transaction[],
  first: Temporal.PlainDate,
): Budget {
  const counted = transactions
    .filter(
      ({ type, description }) => !type.startsWith('TRANSFER') || !ownTransfer.test(description),
    )
    .map((transaction) => ({
      ...transaction,
      month: (transaction.postingDateTime ?? transaction.executionDateTime ?? '').slice(0, 7),
      cents: Math.round(Number(transaction.amount) * 100),
    }))
  const months = Array.from({ length: monthCount }, (_, index) => {
    const start = first.add({ months: index }).toString()
    const own = counted.filter(({ month }) => month === start.slice(0, 7))
    const sum = (sign: number) =>
      own.reduce((total, { cents }) => total + Math.max(0, cents * sign), 0)
    return { start, moneyIn: sum(1), moneyOut: sum(-1) }
  })
  const merchants = new Map<string, Merchant>()
  for (const { type, description: name, cents } of counted) {
    if (cents >= 0 || (type !== 'PAYMENT' && type !== 'DIRECT_DEBIT')) continue
    const { payments, cents: total } = merchants.get(name) ?? { payments: 0, cents: 0 }
    merchants.set(name, { name, payments: payments + 1, cents: total - cents })
  }
  const largest = [...merchants.values()].sort((one, other) => other.cents - one.cents)
  return { months, merchants: largest.slice(0, merchantsMax) }
}
