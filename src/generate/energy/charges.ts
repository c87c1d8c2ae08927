import type { EnergyBillingTransaction } from '../../contract/index.ts'
import { formatDate, getMonth } from '../calendar.ts'
import { formatMoney } from '../money.ts'
import type { Random } from '../random.ts'
import { controlledLoadPrice, timeOfUsePrices } from './contract.ts'
import { type EnergyPlan, firstBandDays, type Supply } from './plan.ts'

type Usage = NonNullable<EnergyBillingTransaction['usage']>

/** The billing period of an invoice. */
export interface Period {
  readonly number: number
  readonly invoiceNumber: string
  readonly firstDay: number
  readonly days: number
}

/** One item of a bill, including GST. A negative amount is a credit, which has no GST. */
export interface Charge {
  /** Undefined for a charge of the account itself. */
  readonly fuel: Supply['fuel'] | undefined
  readonly kind: 'use' | 'feedIn' | 'supply' | 'onceOff'
  /** Adjustments included. */
  readonly cents: number
  /** The billing transaction without account, time and GST. */
  readonly body: Omit<EnergyBillingTransaction, 'accountId' | 'executionDateTime' | 'gst'>
}

/** The charges of an account: those of its supplies, and its own. */
export function createCharges(plan: EnergyPlan, period: Period, random: Random): Charge[] {
  return [
    ...plan.supplies.flatMap((supply) => createSupplyCharges(supply, period, random)),
    ...(plan.paperBillCents > 0 ? [createPaperBill(plan.paperBillCents, period)] : []),
  ]
}

/** Credits are limited to this share of the charges, so that an invoice is not less than its GST. */
const feedInShareMax = 0.7
const creditShareMax = 0.2

function createSupplyCharges(supply: Supply, period: Period, random: Random): Charge[] {
  const { feedInPrice, demandPrice } = supply
  const quantity = Math.round(supply.dailyUse * period.days * seasonFactor(supply.fuel, period))
  const used = (part: number, factor: number, type: NonNullable<Usage['timeOfUseType']>) =>
    createUsage(supply, period, Math.round(quantity * part), factor, type, random)

  const { PEAK, SHOULDER, OFF_PEAK } = timeOfUsePrices
  const usage = supply.isTimeOfUse
    ? [used(0.4, PEAK, 'PEAK'), used(0.25, SHOULDER, 'SHOULDER'), used(0.35, OFF_PEAK, 'OFF_PEAK')]
    : [used(1, 1, 'ALL_DAY')]
  const charges = [
    ...usage,
    ...(supply.hasControlledLoad ? [used(0.3, controlledLoadPrice, 'CONTROLLED_LOAD')] : []),
    ...(demandPrice ? [createDemand(supply, period, demandPrice, random)] : []),
    createSupply(supply, period),
  ]
  const cents = sumCharges(charges)
  return [
    ...charges,
    ...(feedInPrice
      ? [createFeedIn(supply, period, feedInPrice, cents * feedInShareMax, random)]
      : []),
    ...createOnceOffs(supply, period, cents * creditShareMax, random),
  ]
}

export function sumCharges(charges: readonly Charge[]): number {
  return charges.reduce((sum, { cents }) => sum + cents, 0)
}

function createPaperBill(cents: number, { invoiceNumber }: Period): Charge {
  const onceOff = { amount: formatMoney(cents), invoiceNumber, description: 'Bill on paper' }
  return { fuel: undefined, kind: 'onceOff', cents, body: { transactionUType: 'onceOff', onceOff } }
}

/** Gas use is highest in winter, electricity use slightly higher in summer. */
function seasonFactor(fuel: Supply['fuel'], { firstDay }: Period): number {
  const winter = -Math.cos(((getMonth(firstDay) % 12) / 12) * 2 * Math.PI)
  return fuel === 'GAS' ? 1 + 0.7 * winter : 1 - 0.15 * winter
}

type Reference = 'amount' | 'servicePointId' | 'invoiceNumber'

function createCharge<Type extends 'usage' | 'demand' | 'otherCharges' | 'onceOff'>(
  { fuel, servicePointId }: Supply,
  { invoiceNumber }: Period,
  kind: Charge['kind'],
  cents: number,
  transactionUType: Type,
  details: Omit<NonNullable<EnergyBillingTransaction[Type]>, Reference>,
): Charge {
  const amount = formatMoney(cents)
  const content = { amount, servicePointId: String(servicePointId), invoiceNumber, ...details }
  return { fuel, kind, cents, body: { transactionUType, [transactionUType]: content } }
}

function chargeDates({ firstDay, days }: Period) {
  return { startDate: formatDate(firstDay), endDate: formatDate(firstDay + days - 1) }
}

function createUsage(
  supply: Supply,
  period: Period,
  units: number,
  factor: number,
  timeOfUseType: NonNullable<Usage['timeOfUseType']>,
  random: Random,
): Charge {
  const { fuel, unitPrice } = supply
  const cents = Math.round((units * Math.round(unitPrice * factor)) / 100)
  const correction = random.chance(0.05) ? -Math.round(cents * 0.02) : 0
  const charge = createCharge(supply, period, 'use', cents, 'usage', {
    ...chargeDates(period),
    isEstimate: random.chance(0.1),
    usage: units,
    description: fuel === 'GAS' ? 'Gas, megajoules' : 'Electricity',
    ...(fuel === 'ELECTRICITY' && { measureUnit: 'KWH' }),
    calculationFactors: [{ type: random.pick(['DLF', 'MLF'] as const), value: 1.0457 }],
    timeOfUseType,
    ...(correction && {
      adjustments: [{ amount: formatMoney(correction), description: 'Meter correction, 2%' }],
    }),
  })
  return { ...charge, cents: cents + correction }
}

/** A roof may export more than the home uses. */
function createFeedIn(
  supply: Supply,
  period: Period,
  price: number,
  centsMax: number,
  random: Random,
): Charge {
  const exported = Math.round(supply.dailyUse * period.days * (0.2 + random.fraction() * 4))
  const units = Math.min(exported, Math.floor((centsMax * 100) / price))
  const cents = -Math.round((units * price) / 100)
  return createCharge(supply, period, 'feedIn', cents, 'usage', {
    ...chargeDates(period),
    usage: units,
    description: 'Fed in',
    measureUnit: 'KWH',
    timeOfUseType: 'SOLAR',
  })
}

function createDemand(supply: Supply, period: Period, price: number, random: Random): Charge {
  const rate = random.integer(8, 40)
  const cents = Math.round((rate * price) / 100)
  return createCharge(supply, period, 'use', cents, 'demand', {
    ...chargeDates(period),
    rate,
    measureUnit: 'KW',
    timeOfUseType: 'PEAK',
  })
}

function createSupply(supply: Supply, period: Period): Charge {
  const { dailyPrice, laterDailyPrice = dailyPrice } = supply
  const firstDays = Math.min(period.days, firstBandDays)
  const price = firstDays * dailyPrice + (period.days - firstDays) * laterDailyPrice
  const cents = Math.round(price / 100)
  return createCharge(supply, period, 'supply', cents, 'otherCharges', {
    ...chargeDates(period),
    type: 'NETWORK',
    description: `Supply, ${period.days} days`,
  })
}

/** A connection fee on the first invoice, and occasional credits. */
function createOnceOffs(
  supply: Supply,
  period: Period,
  creditMax: number,
  random: Random,
): Charge[] {
  const isFirst = period.number === 1
  if (!isFirst && random.chance(0.93)) return []
  const dollars = Math.min(random.integer(5, 40), Math.floor(creditMax / 100))
  const cents = isFirst ? 2750 : -dollars * 100
  const description = isFirst ? 'Connection' : 'Credit, with our apologies'
  return [createCharge(supply, period, 'onceOff', cents, 'onceOff', { description })]
}
