import { values } from '../../enumerations.ts'
import { isObject } from '../../schema.ts'
import {
  amount,
  date,
  dayOfYear,
  displayName,
  duration,
  enumeration,
  flag,
  number,
  rate,
  text,
  time,
  union,
  uri,
} from './scalars.ts'
import {
  type Fields,
  list,
  object,
  optional,
  required,
  requiredIf,
  type Shape,
  toText,
  type WriteContext,
} from './shapes.ts'

const label = { displayName, description: optional(text) }
const measureUnit = enumeration(values.measureUnit)
const days = list(enumeration(values.day))

/** `additionalInfo` says when a rate applies if the times do not. */
const windowNeedsInfo = ({ startTime, endTime, additionalInfoUri }: Fields) =>
  (startTime === undefined && endTime === undefined) || additionalInfoUri !== undefined

const unitRate = object('EnergyUnitRate', {
  unitPrice: required(amount),
  measureUnit: optional(measureUnit),
  volume: optional(number),
})
const rates = list(unitRate, 1)

const controlledLoadRate = {
  ...label,
  dailySupplyCharge: optional(amount),
  rates: required(rates),
  period: optional(duration),
}

const controlledLoadWindow = object('EnergyControlledLoadTimeOfUse', {
  days: optional(days),
  startTime: requiredIf(({ endTime }) => endTime !== undefined, time),
  endTime: requiredIf(({ startTime }) => startTime !== undefined, time),
  additionalInfo: requiredIf(windowNeedsInfo, text),
  additionalInfoUri: optional(uri),
})

const controlledLoad = object('EnergyControlledLoad', {
  displayName,
  startDate: optional(date),
  endDate: optional(date),
  ...union('rateBlockUType', {
    singleRate: object('EnergyControlledLoadSingleRate', controlledLoadRate),
    timeOfUseRates: list(
      object('EnergyControlledLoadTimeOfUseRate', {
        ...controlledLoadRate,
        timeOfUse: required(list(controlledLoadWindow, 1)),
        type: required(enumeration(values.controlledLoadTimeOfUseType)),
      }),
      1,
    ),
  }),
})

const tariffRate = { ...label, rates: required(rates), period: optional(duration) }

/** Without both times, a rate applies all day. */
const wholeDay = {
  startTime: required(time, {
    read: ({ startTime, endTime }) => startTime ?? (endTime === undefined ? '00:00:00' : undefined),
  }),
  endTime: required(time, {
    read: ({ startTime, endTime }) => endTime ?? (startTime === undefined ? '23:59:59' : undefined),
  }),
}

const tariffWindow = object('EnergyTariffTimeOfUse', {
  days: required(days),
  ...wholeDay,
})

const demandCharge = object('EnergyDemandCharge', {
  ...label,
  amount: required(amount),
  measureUnit: optional(measureUnit),
  ...wholeDay,
  days: optional(days),
  minDemand: optional(amount),
  maxDemand: optional(amount),
  measurementPeriod: required(enumeration(values.demandPeriod)),
  chargePeriod: required(enumeration(values.demandPeriod)),
})

const tariffBlocks: Readonly<Record<string, Shape>> = {
  singleRate: object('EnergyTariffSingleRate', {
    ...tariffRate,
    generalUnitPrice: optional(amount),
  }),
  timeOfUseRates: list(
    object('EnergyTariffTimeOfUseRate', {
      ...tariffRate,
      timeOfUse: required(list(tariffWindow, 1)),
      type: required(enumeration(values.tariffTimeOfUseType)),
    }),
    1,
  ),
  demandCharges: list(demandCharge, 1),
}

/** The interface calls the daily supply charge `dailySupplyCharges`. */
const tariffPeriod = object('EnergyTariffPeriod', {
  type: optional(enumeration(values.chargeType)),
  displayName,
  startDate: required(dayOfYear),
  endDate: required(dayOfYear),
  dailySupplyChargeType: optional(enumeration(values.dailySupplyChargeType)),
  dailySupplyCharge: requiredIf(
    ({ dailySupplyChargeType }) => dailySupplyChargeType === 'SINGLE',
    amount,
    { read: ({ dailySupplyCharges }) => dailySupplyCharges },
  ),
  bandedDailySupplyCharges: requiredIf(
    ({ dailySupplyChargeType }) => dailySupplyChargeType === 'BAND',
    rates,
  ),
  timeZone: optional(enumeration(values.contractTimeZone)),
  ...union('rateBlockUType', tariffBlocks),
})

const incentive = object('EnergyIncentive', {
  displayName,
  description: required(text, {
    read: ({ description, eligibility, displayName }) => description ?? eligibility ?? displayName,
    otherwise: '',
  }),
  category: required(enumeration(values.incentiveCategory)),
  eligibility: optional(text),
})

const discountRate = { rate: required(rate) }
const discountMethods: Readonly<Record<string, Shape>> = {
  percentOfBill: object('EnergyDiscountOfBill', discountRate),
  percentOfUse: object('EnergyDiscountOfUse', discountRate),
  fixedAmount: object('EnergyDiscountFixedAmount', { amount: required(amount) }),
  percentOverThreshold: object('EnergyDiscountOverThreshold', {
    ...discountRate,
    usageAmount: required(amount),
  }),
}

const discount = object('EnergyDiscount', {
  ...label,
  type: required(enumeration(values.energyDiscountType)),
  category: requiredIf(
    ({ type }) => type === 'CONDITIONAL',
    enumeration(values.energyDiscountCategory),
  ),
  endDate: optional(date),
  ...union('methodUType', discountMethods),
})

const greenPowerCharge = object('EnergyGreenPowerCharge', {
  ...label,
  scheme: required(enumeration(values.greenPowerScheme)),
  type: required(enumeration(values.greenPowerType)),
  tiers: required(
    list(
      object('EnergyGreenPowerTier', {
        percentGreen: required(rate),
        rate: optional(rate),
        amount: optional(amount),
      }),
      1,
    ),
  ),
})

const eligibility = object('EnergyEligibility', {
  type: required(enumeration(values.energyEligibilityType)),
  information: required(text, {
    read: ({ information, description }) => information ?? description,
    otherwise: '',
  }),
  description: optional(text),
})

const isOfBill = ({ term }: Fields) => term === 'PERCENT_OF_BILL'

const fee = object('EnergyFee', {
  type: required(enumeration(values.energyFeeType)),
  term: required(enumeration(values.energyFeeTerm)),
  amount: requiredIf((record) => !isOfBill(record), amount),
  rate: requiredIf(isOfBill, rate),
  description: optional(text),
})

const solarTariff = { rates: required(rates), period: optional(duration) }

const timeVariation = object('EnergySolarTimeVariation', {
  days: required(list(enumeration(values.day), 1)),
  startTime: optional(time),
  endTime: optional(time),
})

const solarFeedInTariff = object('EnergySolarFeedInTariff', {
  ...label,
  startDate: optional(date),
  endDate: optional(date),
  scheme: required(enumeration(values.solarScheme)),
  payerType: required(enumeration(values.solarPayerType)),
  ...union('tariffUType', {
    singleTariff: object('EnergySolarTariff', solarTariff),
    timeVaryingTariffs: list(
      object('EnergySolarTimeVaryingTariff', {
        type: optional(enumeration(values.solarTimeType)),
        displayName,
        rates: optional(rates),
        period: optional(duration),
        timeVariations: required(list(timeVariation, 1)),
      }),
      1,
    ),
  }),
})

const hasControlledLoad = ({ pricingModel }: Fields) => toText(pricingModel).endsWith('_CONT_LOAD')

/**
 * The interface shows periods without their end. Together they cover the year: a period ends the day before the next one
 * starts.
 */
function addPeriodEnds(record: Fields, context: WriteContext): Fields {
  const { tariffPeriod: periods } = record
  if (!Array.isArray(periods)) return record
  const starts = periods
    .map((each) => (isObject(each) ? dayOfYear.write(each['startDate'], context) : undefined))
    .filter((each) => typeof each === 'string')
    .sort()
  const complete = (period: Fields): Fields => {
    const start = dayOfYear.write(period['startDate'], context)
    if (period['endDate'] !== undefined || typeof start !== 'string') return period
    const next = starts.find((each) => each > start) ?? starts[0] ?? start
    return { ...period, endDate: toDayBefore(next) }
  }
  return {
    ...record,
    tariffPeriod: periods.map((each) => (isObject(each) ? complete(each) : each)),
  }
}

/** Of a year that is not a leap year. */
function toDayBefore(day: string): string {
  return Temporal.PlainDate.from(`2001-${day === '02-29' ? '03-01' : day}`)
    .subtract({ days: 1 })
    .toString()
    .slice('YYYY-'.length)
}

export const energyContract = object(
  'EnergyContract',
  {
    additionalFeeInformation: optional(text),
    pricingModel: required(enumeration(values.pricingModel)),
    timeZone: optional(enumeration(values.contractTimeZone)),
    isFixed: required(flag),
    // Required if prices are not fixed.
    variation: optional(text, {
      read: ({ isFixed, variation }) => variation ?? (isFixed === false ? '' : undefined),
    }),
    onExpiryDescription: optional(text),
    paymentOption: required(list(enumeration(values.paymentOption))),
    intrinsicGreenPower: optional(
      object('EnergyIntrinsicGreenPower', { greenPercentage: required(rate) }),
    ),
    controlledLoad: requiredIf(hasControlledLoad, list(controlledLoad, 1)),
    incentives: optional(list(incentive)),
    discounts: optional(list(discount)),
    greenPowerCharges: optional(list(greenPowerCharge)),
    eligibility: optional(list(eligibility)),
    fees: optional(list(fee)),
    solarFeedInTariff: optional(list(solarFeedInTariff)),
    tariffPeriod: required(list(tariffPeriod, 1)),
  },
  addPeriodEnds,
)
