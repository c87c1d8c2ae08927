import type { Ownership } from '../ownership.ts'

/** One fuel at one meter. Prices are in hundredths of a cent: unit prices have four decimals of a dollar. */
export interface Supply {
  readonly fuel: 'ELECTRICITY' | 'GAS'
  readonly servicePointId: string | number
  /** In kilowatt hours, or megajoules of gas. */
  readonly dailyUse: number
  readonly unitPrice: number
  readonly dailyPrice: number
  /** The daily price after the first days of a bill, if the supply charge has bands. */
  readonly laterDailyPrice: number | undefined
  readonly isTimeOfUse: boolean
  readonly hasControlledLoad: boolean
  /** The solar feed-in tariff per kilowatt hour. */
  readonly feedInPrice: number | undefined
  /** The demand charge per kilowatt; only organisations have one. */
  readonly demandPrice: number | undefined
}

/** The days of a bill in the first band of its supply charge. */
export const firstBandDays = 30

/** The properties of one energy account that its lines have in common. */
export interface EnergyPlan {
  readonly accountId: string
  readonly ownership: Ownership
  readonly supplies: readonly [Supply, ...Supply[]]
  readonly isClosed: boolean
  /** The first day of supply. */
  readonly firstDay: number
  /** The day after the last billed day. */
  readonly endDay: number
  readonly invoiceCount: number
  readonly invoiceMonths: 1 | 3
  /** The charge for each bill on paper; 0 if bills are sent by e-mail. */
  readonly paperBillCents: number
  /** The discount on a bill that is paid on time. */
  readonly onTimePercent: number
  /** The last day that may have a billing transaction. */
  readonly lastDay: number
}
