import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { union } from '../rules.ts'
import {
  DateOrDateTime,
  Decimal,
  DecimalOrText,
  Duration,
  Flag,
  Money,
  SeasonStart,
  Text,
} from '../scalars.ts'
import { Type } from '../type.ts'

const label = { displayName: Text, description: Text }
const measureUnit = oneOf(values.measureUnit)

const UnitRate = record('UnitRate', {
  description: 'A price per unit, and the volume up to which it applies.',
  required: { unitPrice: Money },
  optional: { measureUnit, volume: Decimal },
})
const rates = Type.Array(UnitRate)

const timeWindow = {
  days: Type.Array(oneOf(values.day)),
  startTime: Text,
  endTime: Text,
}
export const TimeWindow = record('TimeWindow', {
  description: 'The days and times at which a rate applies.',
  optional: {
    ...timeWindow,
    additionalInfo: Text,
    additionalInfoUri: Text,
  },
})

const supplyChargeAlias = { dailySupplyCharges: 'dailySupplyCharge' }

const controlledLoadRate = { ...label, dailySupplyCharge: Money, rates, period: Duration }

const controlledBlocks = ['singleRate', 'timeOfUseRates'] as const

const ControlledLoad = record('ControlledLoad', {
  description: 'The rates for a separately controlled load, such as a hot water system.',
  required: { rateBlockUType: oneOf(controlledBlocks) },
  optional: {
    displayName: Text,
    startDate: DateOrDateTime,
    endDate: DateOrDateTime,
    singleRate: record('ControlledLoadSingleRate', {
      description: 'A controlled-load rate that applies at all times.',
      optional: controlledLoadRate,
      aliases: supplyChargeAlias,
    }),
    timeOfUseRates: Type.Array(
      record('ControlledLoadTimeOfUseRate', {
        description: 'A controlled-load rate that applies at certain times.',
        optional: {
          ...controlledLoadRate,
          timeOfUse: Type.Array(TimeWindow),
          type: oneOf(values.controlledLoadTimeOfUseType),
        },
        aliases: supplyChargeAlias,
      }),
    ),
  },
  rules: union('rateBlockUType', controlledBlocks),
})

const tariffBlocks = ['singleRate', 'timeOfUseRates', 'demandCharges'] as const

export const TariffPeriod = record('TariffPeriod', {
  description: 'The prices of a season.',
  required: { rateBlockUType: oneOf(tariffBlocks) },
  optional: {
    type: oneOf(values.chargeType),
    displayName: Text,
    startDate: SeasonStart,
    endDate: SeasonStart,
    dailySupplyChargeType: oneOf(values.dailySupplyChargeType),
    dailySupplyCharges: Money,
    bandedDailySupplyCharges: described(
      rates,
      'Daily supply charges by band, instead of one amount.',
    ),
    timeZone: oneOf(values.contractTimeZone),
    singleRate: record('TariffSingleRate', {
      description: 'A rate that applies at all times.',
      optional: {
        ...label,
        generalUnitPrice: Money,
        rates,
        period: Duration,
      },
    }),
    timeOfUseRates: Type.Array(
      record('TariffTimeOfUseRate', {
        description: 'A rate that applies at certain times.',
        optional: {
          ...label,
          rates,
          period: Duration,
          timeOfUse: Type.Array(TimeWindow),
          type: oneOf(values.tariffTimeOfUseType),
        },
      }),
    ),
    demandCharges: Type.Array(
      record('DemandCharge', {
        description: 'A charge for the highest demand in a period.',
        optional: {
          ...label,
          amount: Money,
          measureUnit,
          ...timeWindow,
          minDemand: Money,
          maxDemand: Money,
          measurementPeriod: oneOf(values.demandPeriod),
          chargePeriod: oneOf(values.demandPeriod),
        },
      }),
    ),
  },
  rules: union('rateBlockUType', tariffBlocks),
  aliases: { dailySupplyCharge: 'dailySupplyCharges' },
})

const Incentive = record('Incentive', {
  description: 'An incentive for customers who choose a contract.',
  optional: {
    ...label,
    category: oneOf(values.incentiveCategory),
    eligibility: Text,
  },
})

const discountMethods = [
  'percentOfBill',
  'percentOfUse',
  'fixedAmount',
  'percentOverThreshold',
] as const

const ContractDiscount = record('ContractDiscount', {
  description: 'A discount of an energy contract.',
  required: { methodUType: oneOf(discountMethods) },
  optional: {
    ...label,
    type: oneOf(values.energyDiscountType),
    category: oneOf(values.energyDiscountCategory),
    endDate: DateOrDateTime,
    percentOfBill: record('PercentOfBill', {
      description: 'A discount on the whole bill.',
      required: { rate: Decimal },
    }),
    percentOfUse: record('PercentOfUse', {
      description: 'A discount on the charges for usage.',
      required: { rate: DecimalOrText },
    }),
    fixedAmount: record('ContractFixedAmount', {
      description: 'A discount of a fixed amount.',
      required: { amount: Money },
    }),
    percentOverThreshold: record('PercentOverThreshold', {
      description: 'A discount on usage above a threshold.',
      required: { rate: DecimalOrText, usageAmount: DecimalOrText },
    }),
  },
  rules: union('methodUType', discountMethods),
})

const ContractEligibility = record('ContractEligibility', {
  description: 'A condition that customers must meet for a contract.',
  required: { type: oneOf(values.energyEligibilityType) },
  optional: { information: Text, description: Text },
})

const ContractFee = record('ContractFee', {
  description: 'A fee of an energy contract.',
  required: { type: oneOf(values.energyFeeType) },
  optional: { term: oneOf(values.energyFeeTerm), rate: Decimal, amount: Money, description: Text },
})

const tariffTypes = ['singleTariff', 'timeVaryingTariffs'] as const

const SolarFeedInTariff = record('SolarFeedInTariff', {
  description: 'A credit for solar energy that the customer exports.',
  required: { tariffUType: oneOf(tariffTypes) },
  optional: {
    ...label,
    startDate: DateOrDateTime,
    endDate: DateOrDateTime,
    scheme: oneOf(values.solarScheme),
    payerType: oneOf(values.solarPayerType),
    singleTariff: record('SingleTariff', {
      description: 'A feed-in tariff that applies at all times.',
      required: { rates },
      optional: { period: Duration },
    }),
    timeVaryingTariffs: Type.Array(
      record('TimeVaryingTariff', {
        description: 'A feed-in tariff that applies at certain times.',
        optional: {
          displayName: Text,
          type: oneOf(values.solarTimeType),
          rates,
          period: Duration,
          timeVariations: Type.Array(
            record('TimeVariation', {
              description: 'The days and times at which a feed-in tariff applies.',
              optional: timeWindow,
            }),
          ),
        },
      }),
    ),
  },
  rules: union('tariffUType', tariffTypes),
})

const GreenPowerCharge = record('GreenPowerCharge', {
  description: 'A charge for renewable energy.',
  optional: {
    ...label,
    scheme: oneOf(values.greenPowerScheme),
    type: oneOf(values.greenPowerType),
    tiers: Type.Array(
      record('GreenPowerTier', {
        description: 'The price of a share of renewable energy.',
        required: { percentGreen: Decimal },
        optional: { rate: Decimal, amount: Money },
      }),
    ),
  },
})

export const EnergyContract = record('EnergyContract', {
  description: 'The charges and credits of the retailer for one fuel.',
  optional: {
    additionalFeeInformation: Text,
    pricingModel: oneOf(values.pricingModel),
    timeZone: oneOf(values.contractTimeZone),
    termType: oneOf(values.termType),
    isFixed: Flag,
    variation: Text,
    onExpiryDescription: described(Text, 'What happens when the term or the benefit period ends.'),
    paymentOption: Type.Array(oneOf(values.paymentOption)),
    intrinsicGreenPower: record('IntrinsicGreenPower', {
      description: 'The share of renewable energy that a contract includes.',
      required: { greenPercentage: Decimal },
    }),
    controlledLoad: Type.Array(ControlledLoad),
    incentives: Type.Array(Incentive),
    discounts: Type.Array(ContractDiscount),
    eligibility: Type.Array(ContractEligibility),
    fees: Type.Array(ContractFee),
    greenPowerCharges: Type.Array(GreenPowerCharge),
    solarFeedInTariff: Type.Array(SolarFeedInTariff),
    tariffPeriod: described(Type.Array(TariffPeriod), 'The prices by season.'),
  },
})
