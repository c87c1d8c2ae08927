import type { Ownership } from '../ownership.ts'

/** One fuel at one meter. Prices are hundredths of a cent: electricity has four decimals of a dollar. */
export interface Supply {
  readonly fuel: 'ELECTRICITY' | 'GAS'
  readonly servicePointId: string | number
  /** A day's use: kilowatt hours, or megajoules of gas. */
  readonly dailyUse: number
  readonly unitPrice: number
  readonly dailyPrice: number
  readonly isTimeOfUse: boolean
  readonly hasControlledLoad: boolean
  /** What the roof earns a unit. */
  readonly feedInPrice: number | undefined
  /** What a firm pays for its peak. */
  readonly demandPrice: number | undefined
}

/** Everything about one energy account that its lines must agree on. */
export interface EnergyPlan {
  readonly accountId: string
  readonly holding: Ownership
  readonly supplies: readonly [Supply, ...Supply[]]
  readonly isClosed: boolean
  /** Days are those of the supply: the first, and the one after the last that was billed. */
  readonly firstDay: number
  readonly endDay: number
  readonly invoiceCount: number
  readonly invoiceMonths: 1 | 3
  /** Percent off a bill that is paid in time. */
  readonly onTimePercent: number
  /** The last day with anything on it. */
  readonly lastDay: number
}
