import type { EnergyAccount } from '../../contract/index.ts'
import { formatDate } from '../calendar.ts'
import type { Random } from '../random.ts'
import type { EnergyPlan, Supply } from './plan.ts'

type Plan = NonNullable<EnergyAccount['plans']>[number]
type Contract = NonNullable<NonNullable<Plan['planDetail']>['electricityContract']>
type Part<Name extends keyof Contract> = NonNullable<Contract[Name]>
type Elements<Name extends keyof Contract> =
  Part<Name> extends readonly (infer Element)[] ? Element : never

/** Factors on the unit price of the plan, by time of day. */
export const timeOfUsePrices = { PEAK: 1.4, SHOULDER: 1, OFF_PEAK: 0.65 } as const
export const controlledLoadPrice = 0.55

/** Uses the same prices as the bills. */
export function createContract(supply: Supply, plan: EnergyPlan, random: Random): Contract {
  const { isTimeOfUse, hasControlledLoad } = supply
  const startDate = formatDate(plan.firstDay)
  const base = isTimeOfUse ? 'TIME_OF_USE' : 'SINGLE_RATE'
  return {
    ...(random.chance(0.3) && { additionalFeeInformation: 'Fees include GST' }),
    pricingModel: hasControlledLoad ? `${base}_CONT_LOAD` : base,
    timeZone: random.pick(['LOCAL', 'AEST'] as const),
    termType: random.pick(['ONGOING', '1_YEAR', '2_YEAR'] as const),
    isFixed: random.chance(0.3),
    variation: 'Prices change each July, with 5 business days’ notice',
    paymentOption: [
      'DIRECT_DEBIT',
      'BPAY',
      ...(random.chance(0.5) ? (['PAPER_BILL'] as const) : []),
    ],
    intrinsicGreenPower: { greenPercentage: random.pick([0, 0.1, 0.25, 1]) },
    ...(hasControlledLoad && { controlledLoad: [createControlledLoad(supply, startDate, random)] }),
    incentives: incentives.filter(() => random.chance(0.4)),
    discounts: createDiscounts(plan.onTimePercent, random),
    eligibility: [{ type: 'NEW_CUSTOMER', information: 'Once a household' }],
    fees: fees.filter(() => random.chance(0.5)),
    ...(random.chance(0.2) && { greenPowerCharges: [greenPower] }),
    ...(supply.feedInPrice && {
      solarFeedInTariff: [createFeedIn(supply.feedInPrice, startDate, random)],
    }),
    tariffPeriod: createTariffPeriods(supply, random),
  }
}

function priceText(price: number): string {
  return (price / 10_000).toFixed(4)
}

/** The contract has no unit for gas: the description says that prices are per megajoule. */
function createRates(
  { fuel }: Supply,
  price: number,
): { unitPrice: string; measureUnit?: 'KWH' }[] {
  const unitPrice = priceText(price)
  return fuel === 'GAS' ? [{ unitPrice }] : [{ unitPrice, measureUnit: 'KWH' }]
}

function createTariffPeriods(supply: Supply, random: Random): Elements<'tariffPeriod'>[] {
  const { unitPrice, dailyPrice, demandPrice, fuel } = supply
  const season = {
    type: 'RETAIL_SERVICE',
    displayName: 'All year',
    startDate: random.pick(['07-01', '2024-07-01']),
    dailySupplyCharges: priceText(dailyPrice),
    timeZone: 'LOCAL',
  } as const
  const usage: Elements<'tariffPeriod'> = supply.isTimeOfUse
    ? {
        ...season,
        rateBlockUType: 'timeOfUseRates',
        timeOfUseRates: Object.entries(timeOfUsePrices).map(([type, factor]) => ({
          displayName: type === 'OFF_PEAK' ? 'Off-peak' : type === 'PEAK' ? 'Peak' : 'Shoulder',
          type: type as keyof typeof timeOfUsePrices,
          rates: createRates(supply, Math.round(unitPrice * factor)),
          timeOfUse: [{ days: [...weekdays], startTime: '07:00', endTime: '21:00' }],
        })),
      }
    : {
        ...season,
        rateBlockUType: 'singleRate',
        singleRate: {
          displayName: 'Anytime',
          description: fuel === 'GAS' ? 'Dollars a megajoule' : 'One price all day',
          generalUnitPrice: priceText(unitPrice),
          rates: createRates(supply, unitPrice),
        },
      }
  if (!demandPrice) return [usage]
  const demand = {
    amount: priceText(demandPrice),
    measureUnit: 'KW',
    chargePeriod: 'MONTH',
  } as const
  return [usage, { ...season, rateBlockUType: 'demandCharges', demandCharges: [demand] }]
}

const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI'] as const

function createControlledLoad(
  supply: Supply,
  startDate: string,
  random: Random,
): Elements<'controlledLoad'> {
  const rates = createRates(supply, Math.round(supply.unitPrice * controlledLoadPrice))
  const base = { displayName: 'Hot water', startDate }
  if (random.chance(0.7)) {
    const singleRate = { displayName: 'Overnight', dailySupplyCharge: '0.0000', rates }
    return { ...base, rateBlockUType: 'singleRate', singleRate }
  }
  const sponge = { type: 'SOLAR_SPONGE', dailySupplyCharge: '0.0000', rates } as const
  return { ...base, rateBlockUType: 'timeOfUseRates', timeOfUseRates: [sponge] }
}

function createFeedIn(
  price: number,
  startDate: string,
  random: Random,
): Elements<'solarFeedInTariff'> {
  const rates = [{ unitPrice: priceText(price), measureUnit: 'KWH' as const }]
  const base = {
    displayName: 'Feed-in',
    description: 'For what the roof exports',
    startDate,
    scheme: random.pick(['CURRENT', 'PREMIUM'] as const),
    payerType: random.pick(['RETAILER', 'GOVERNMENT'] as const),
  }
  if (random.chance(0.7)) return { ...base, tariffUType: 'singleTariff', singleTariff: { rates } }
  const timeVariations = [{ days: [...weekdays], startTime: '10:00', endTime: '16:00' }]
  const varying = { type: 'SHOULDER', rates, timeVariations } as const
  return { ...base, tariffUType: 'timeVaryingTariffs', timeVaryingTariffs: [varying] }
}

function createDiscounts(onTimePercent: number, random: Random): Elements<'discounts'>[] {
  const onTime: Elements<'discounts'> = {
    displayName: 'On time',
    description: 'Paid by the due date',
    type: 'CONDITIONAL',
    category: 'PAY_ON_TIME',
    methodUType: 'percentOfBill',
    percentOfBill: { rate: onTimePercent / 100 },
  }
  return [
    ...(onTimePercent > 0 ? [onTime] : []),
    ...otherDiscounts.filter(() => random.chance(0.15)),
  ]
}

/** Already included in the prices: the bills do not deduct them. */
const otherDiscounts: readonly Elements<'discounts'>[] = [
  {
    displayName: 'Guaranteed 2% off use',
    type: 'GUARANTEED',
    category: 'GUARANTEED_DISCOUNT',
    methodUType: 'percentOfUse',
    percentOfUse: { rate: 0.02 },
  },
  {
    displayName: 'Direct debit',
    type: 'CONDITIONAL',
    category: 'DIRECT_DEBIT',
    methodUType: 'fixedAmount',
    fixedAmount: { amount: '5.00' },
  },
  {
    displayName: 'Above 1,000 units',
    type: 'OTHER',
    category: 'OTHER',
    methodUType: 'percentOverThreshold',
    percentOverThreshold: { rate: 0.04, usageAmount: 1000 },
  },
]

const incentives: readonly Elements<'incentives'>[] = [
  { displayName: 'Welcome credit', category: 'ACCOUNT_CREDIT', eligibility: 'New customers' },
  { displayName: 'A tree planted', description: 'In your name', category: 'GIFT' },
]

const fees: readonly Elements<'fees'>[] = [
  { type: 'LATE_PAYMENT', term: 'FIXED', amount: '12.00', description: 'After fourteen days' },
  { type: 'CC_PROCESSING', term: 'PERCENT_OF_BILL', rate: 0.006, description: 'Any card' },
  { type: 'PAPER_BILL', term: 'FIXED', amount: '2.20' },
]

const greenPower: Elements<'greenPowerCharges'> = {
  displayName: 'Wind & sun',
  scheme: 'GREENPOWER',
  type: 'PERCENT_OF_BILL',
  tiers: [
    { percentGreen: 0.2, rate: 0.01 },
    { percentGreen: 1, amount: '4.40' },
  ],
}
