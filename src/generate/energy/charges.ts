import type { EnergyBillingTransaction } from '../../contract/index.ts'
import { dateOf, monthOf } from '../calendar.ts'
import { moneyText } from '../money.ts'
import type { Random } from '../random.ts'
import { controlledLoadPrice, timeOfUsePrices } from './contract.ts'
import type { Supply } from './plan.ts'

type Usage = NonNullable<EnergyBillingTransaction['usage']>

/** What a charge is charged for: one supply over one period of a bill. */
export interface Period {
  readonly number: number
  readonly invoiceNumber: string
  readonly firstDay: number
  readonly days: number
}

/** One item of a bill, tax included. Below zero it is a credit, which has no tax. */
export interface Charge {
  readonly fuel: Supply['fuel']
  readonly kind: 'use' | 'feedIn' | 'supply' | 'onceOff'
  /** Adjustments included. */
  readonly cents: number
  /** The billing transaction but for whose and when it is. */
  readonly body: Omit<EnergyBillingTransaction, 'accountId' | 'executionDateTime' | 'gst'>
}

export function chargesOf(supply: Supply, period: Period, random: Random): Charge[] {
  const { feedInPrice, demandPrice } = supply
  const quantity = Math.round(supply.dailyUse * period.days * seasonOf(supply.fuel, period))
  const used = (part: number, factor: number, type: NonNullable<Usage['timeOfUseType']>) =>
    usageOf(supply, period, Math.round(quantity * part), factor, type, random)

  const { PEAK, SHOULDER, OFF_PEAK } = timeOfUsePrices
  const usage = supply.isTimeOfUse
    ? [used(0.4, PEAK, 'PEAK'), used(0.25, SHOULDER, 'SHOULDER'), used(0.35, OFF_PEAK, 'OFF_PEAK')]
    : [used(1, 1, 'ALL_DAY')]
  return [
    ...usage,
    ...(supply.hasControlledLoad ? [used(0.3, controlledLoadPrice, 'CONTROLLED_LOAD')] : []),
    ...(feedInPrice ? [feedInOf(supply, period, feedInPrice, quantity, random)] : []),
    ...(demandPrice ? [demandOf(supply, period, demandPrice, random)] : []),
    supplyOf(supply, period),
    ...onceOffsOf(supply, period, random),
  ]
}

/** Gas warms in winter; electricity cools in summer, a little. */
function seasonOf(fuel: Supply['fuel'], { firstDay }: Period): number {
  const winter = -Math.cos(((monthOf(firstDay) % 12) / 12) * 2 * Math.PI)
  return fuel === 'GAS' ? 1 + 0.7 * winter : 1 - 0.15 * winter
}

function aboutOf({ servicePointId }: Supply, { invoiceNumber }: Period) {
  return { servicePointId: String(servicePointId), invoiceNumber }
}

function spanOf({ firstDay, days }: Period) {
  return { startDate: dateOf(firstDay), endDate: dateOf(firstDay + days - 1) }
}

function usageOf(
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
  const usage: Usage = {
    amount: moneyText(cents),
    ...aboutOf(supply, period),
    ...spanOf(period),
    isEstimate: random.chance(0.1),
    usage: units,
    description: fuel === 'GAS' ? 'Gas, megajoules' : 'Electricity',
    ...(fuel === 'ELECTRICITY' && { measureUnit: 'KWH' }),
    calculationFactors: [{ type: random.pick(['DLF', 'MLF'] as const), value: 1.0457 }],
    timeOfUseType,
    ...(correction && {
      adjustments: [{ amount: moneyText(correction), description: 'Meter correction, 2%' }],
    }),
  }
  return {
    fuel,
    kind: 'use',
    cents: cents + correction,
    body: { transactionUType: 'usage', usage },
  }
}

/** A good summer earns more than it costs. */
function feedInOf(
  supply: Supply,
  period: Period,
  price: number,
  quantity: number,
  random: Random,
): Charge {
  const units = Math.round(quantity * (0.2 + random.unit() * 4))
  const cents = -Math.round((units * price) / 100)
  const usage: Usage = {
    amount: moneyText(cents),
    ...aboutOf(supply, period),
    ...spanOf(period),
    usage: units,
    description: 'Fed in',
    measureUnit: 'KWH',
    timeOfUseType: 'SOLAR',
  }
  return { fuel: supply.fuel, kind: 'feedIn', cents, body: { transactionUType: 'usage', usage } }
}

function demandOf(supply: Supply, period: Period, price: number, random: Random): Charge {
  const rate = random.whole(8, 40)
  const cents = Math.round((rate * price) / 100)
  const demand = {
    amount: moneyText(cents),
    ...aboutOf(supply, period),
    ...spanOf(period),
    rate,
    measureUnit: 'KW',
    timeOfUseType: 'PEAK',
  } as const
  return { fuel: supply.fuel, kind: 'use', cents, body: { transactionUType: 'demand', demand } }
}

function supplyOf(supply: Supply, period: Period): Charge {
  const cents = Math.round((period.days * supply.dailyPrice) / 100)
  const otherCharges = {
    amount: moneyText(cents),
    ...aboutOf(supply, period),
    ...spanOf(period),
    type: 'NETWORK',
    description: `Supply, ${period.days} days`,
  } as const
  const body = { transactionUType: 'otherCharges', otherCharges } as const
  return { fuel: supply.fuel, kind: 'supply', cents, body }
}

/** The connection at the start; now and then a credit. */
function onceOffsOf(supply: Supply, period: Period, random: Random): Charge[] {
  const isFirst = period.number === 1
  if (!isFirst && random.chance(0.93)) return []
  const cents = isFirst ? 2750 : -random.whole(5, 40) * 100
  const onceOff = {
    amount: moneyText(cents),
    ...aboutOf(supply, period),
    description: isFirst ? 'Connection' : 'Credit, with our apologies',
  }
  const body = { transactionUType: 'onceOff', onceOff } as const
  return [{ fuel: supply.fuel, kind: 'onceOff', cents, body }]
}
