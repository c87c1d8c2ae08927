import type { EnergyAccount } from '../../contract/index.ts'
import { formatDate } from '../calendar.ts'
import { formatMoney } from '../money.ts'
import type { Random } from '../random.ts'
import { type EnergyPlan, firstBandDays, type Supply } from './plan.ts'

type Plan = NonNullable<EnergyAccount['plans']>[number]
type Contract = NonNullable<NonNullable<Plan['planDetail']>['electricityContract']>
type Part<Name extends keyof Contract> = NonNullable<Contract[Name]>
type Elements<Name extends keyof Contract> =
  Part<Name> extends readonly (infer Element)[] ? Element : never

/** Factors on the unit price of the plan, by time of day. */
export const timeOfUsePrices = { PEAK: 1.4, SHOULDER: 1, OFF_PEAK: 0.65 } as const
export const controlledLoadPrice = 0.55

type TimeOfUse = keyof typeof timeOfUsePrices
type TimeWindow = Readonly<Record<'startTime' | 'endTime', string>> & {
  readonly days: readonly (typeof everyDay)[number][]
}

const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI'] as const
const weekend = ['SAT', 'SUN'] as const
const everyDay = [...weekdays, ...weekend]

/** Together, the windows are the whole week. One that ends before it starts ends on the next day. */
const timeOfUseWindows: Readonly<Record<TimeOfUse, readonly TimeWindow[]>> = {
  PEAK: [{ days: weekdays, startTime: '15:00', endTime: '21:00' }],
  SHOULDER: [
    { days: weekdays, startTime: '07:00', endTime: '15:00' },
    { days: weekdays, startTime: '21:00', endTime: '22:00' },
    { days: weekend, startTime: '07:00', endTime: '22:00' },
  ],
  OFF_PEAK: [{ days: everyDay, startTime: '22:00', endTime: '07:00' }],
}
const timeOfUseNames = { PEAK: 'Peak', SHOULDER: 'Shoulder', OFF_PEAK: 'Off-peak' } as const
const timesOfUse = ['PEAK', 'SHOULDER', 'OFF_PEAK'] as const satisfies readonly TimeOfUse[]

/** Uses the same prices as the bills. */
export function createContract(supply: Supply, plan: EnergyPlan, random: Random): Contract {
  const { isTimeOfUse, hasControlledLoad } = supply
  const startDate = formatDate(plan.firstDay)
  const base = isTimeOfUse ? 'TIME_OF_USE' : 'SINGLE_RATE'
  const termType = random.pick(['ONGOING', '1_YEAR', '2_YEAR'] as const)
  const isPaper = plan.paperBillCents > 0
  return {
    ...(random.chance(0.3) && { additionalFeeInformation: 'Fees include GST' }),
    pricingModel: hasControlledLoad ? `${base}_CONT_LOAD` : base,
    timeZone: random.pick(['LOCAL', 'AEST'] as const),
    termType,
    isFixed: random.chance(0.3),
    variation: 'Prices change each July, with 5 business days’ notice',
    ...(termType !== 'ONGOING' && {
      onExpiryDescription: 'Continues as an ongoing contract, at the prices of that day',
    }),
    paymentOption: ['DIRECT_DEBIT', 'BPAY', ...(isPaper ? (['PAPER_BILL'] as const) : [])],
    intrinsicGreenPower: { greenPercentage: random.pick([0, 0.1, 0.25, 1]) },
    ...(hasControlledLoad && { controlledLoad: [createControlledLoad(supply, startDate, random)] }),
    incentives: incentives.filter(() => random.chance(0.4)),
    discounts: createDiscounts(plan.onTimePercent, random),
    eligibility: [{ type: 'NEW_CUSTOMER', information: 'Once a household' }],
    fees: [...fees.filter(() => random.chance(0.5)), ...(isPaper ? [createPaperFee(plan)] : [])],
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
  const { unitPrice, demandPrice, fuel } = supply
  const season = {
    type: 'RETAIL_SERVICE',
    displayName: 'All year',
    startDate: random.pick(['07-01', '2024-07-01']),
    ...createSupplyCharges(supply),
    timeZone: 'LOCAL',
  } as const
  const usage: Elements<'tariffPeriod'> = supply.isTimeOfUse
    ? {
        ...season,
        rateBlockUType: 'timeOfUseRates',
        timeOfUseRates: timesOfUse.map((type) => ({
          displayName: timeOfUseNames[type],
          type,
          rates: createRates(supply, Math.round(unitPrice * timeOfUsePrices[type])),
          timeOfUse: timeOfUseWindows[type].map((window) => ({
            ...window,
            days: [...window.days],
          })),
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
    measurementPeriod: 'MONTH',
    chargePeriod: 'MONTH',
  } as const
  return [usage, { ...season, rateBlockUType: 'demandCharges', demandCharges: [demand] }]
}

function createSupplyCharges({
  dailyPrice,
  laterDailyPrice,
}: Supply): Partial<Elements<'tariffPeriod'>> {
  if (laterDailyPrice === undefined) return { dailySupplyCharges: priceText(dailyPrice) }
  return {
    dailySupplyChargeType: 'BAND',
    bandedDailySupplyCharges: [
      { unitPrice: priceText(dailyPrice), measureUnit: 'DAYS', volume: firstBandDays },
      { unitPrice: priceText(laterDailyPrice), measureUnit: 'DAYS' },
    ],
  }
}

function createPaperFee({ paperBillCents }: EnergyPlan): Elements<'fees'> {
  return { type: 'PAPER_BILL', term: 'FIXED', amount: formatMoney(paperBillCents) }
}

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
    description: 'For exported solar energy',
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
