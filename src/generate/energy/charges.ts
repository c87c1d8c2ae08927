import type { EnergyBillingTransaction } from '../../contract/index.ts'
import { formatDate, getMonth } from '../calendar.ts'
import { formatMoney } from '../money.ts'
import type { Random } from '../random.ts'
import { controlledLoadPrice, timeOfUsePrices } from './contract.ts'
import type { Supply } from './plan.ts'

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
  readonly fuel: Supply['fuel']
  readonly kind: 'use' | 'feedIn' | 'supply' | 'onceOff'
  /** Adjustments included. */
  readonly cents: number
  /** The billing transaction without account, time and GST. */
  readonly body: Omit<EnergyBillingTransaction, 'accountId' | 'executionDateTime' | 'gst'>
}

export function createCharges(supply: Supply, period: Period, random: Random): Charge[] {
  const { feedInPrice, demandPrice } = supply
  const quantity = Math.round(supply.dailyUse * period.days * seasonFactor(supply.fuel, period))
  const used = (part: number, factor: number, type: NonNullable<Usage['timeOfUseType']>) =>
    createUsage(supply, period, Math.round(quantity * part), factor, type, random)

  const { PEAK, SHOULDER, OFF_PEAK } = timeOfUsePrices
  const usage = supply.isTimeOfUse
    ? [used(0.4, PEAK, 'PEAK'), used(0.25, SHOULDER, 'SHOULDER'), used(0.35, OFF_PEAK, 'OFF_PEAK')]
    : [used(1, 1, 'ALL_DAY')]
  return [
    ...usage,
    ...(supply.hasControlledLoad ? [used(0.3, controlledLoadPrice, 'CONTROLLED_LOAD')] : []),
    ...(feedInPrice ? [createFeedIn(supply, period, feedInPrice, quantity, random)] : []),
    ...(demandPrice ? [createDemand(supply, period, demandPrice, random)] : []),
    createSupply(supply, period),
    ...createOnceOffs(supply, period, random),
  ]
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

/** The feed-in credit may exceed the charges. */
function createFeedIn(
  supply: Supply,
  period: Period,
  price: number,
  quantity: number,
  random: Random,
): Charge {
  const units = Math.round(quantity * (0.2 + random.fraction() * 4))
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
  const cents = Math.round((period.days * supply.dailyPrice) / 100)
  return createCharge(supply, period, 'supply', cents, 'otherCharges', {
    ...chargeDates(period),
    type: 'NETWORK',
    description: `Supply, ${period.days} days`,
  })
}

/** A connection fee on the first invoice, and occasional credits. */
function createOnceOffs(supply: Supply, period: Period, random: Random): Charge[] {
  const isFirst = period.number === 1
  if (!isFirst && random.chance(0.93)) return []
  const cents = isFirst ? 2750 : -random.integer(5, 40) * 100
  const description = isFirst ? 'Connection' : 'Credit, with our apologies'
  return [createCharge(supply, period, 'onceOff', cents, 'onceOff', { description })]
}
