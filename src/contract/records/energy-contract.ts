import Type, { type Static } from 'typebox'
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

const measureUnit = oneOf(values.measureUnit)

export const UnitRate = record('UnitRate', { unitPrice: Money }, { measureUnit, volume: Decimal })
const rates = Type.Array(UnitRate)

const timeWindow = {
  days: Type.Array(oneOf(values.day)),
  startTime: Text,
  endTime: Text,
}
export const TimeWindow = record(
  'TimeWindow',
  {},
  {
    ...timeWindow,
    additionalInfo: Text,
    additionalInfoUri: Text,
  },
)

const supplyChargeAlias = { dailySupplyCharges: 'dailySupplyCharge' }

const controlledBlocks = ['singleRate', 'timeOfUseRates'] as const

export const ControlledLoad = record(
  'ControlledLoad',
  { rateBlockUType: oneOf(controlledBlocks) },
  {
    displayName: Text,
    startDate: DateOrDateTime,
    endDate: DateOrDateTime,
    singleRate: record(
      'ControlledLoadSingleRate',
      {},
      { displayName: Text, description: Text, dailySupplyCharge: Money, rates, period: Duration },
      { aliases: supplyChargeAlias },
    ),
    timeOfUseRates: Type.Array(
      record(
        'ControlledLoadTimeOfUseRate',
        {},
        {
          displayName: Text,
          description: Text,
          dailySupplyCharge: Money,
          rates,
          period: Duration,
          timeOfUse: Type.Array(TimeWindow),
          type: oneOf(values.controlledLoadTimeOfUseType),
        },
        { aliases: supplyChargeAlias },
      ),
    ),
  },
  { rules: union('rateBlockUType', controlledBlocks) },
)

const tariffBlocks = ['singleRate', 'timeOfUseRates', 'demandCharges'] as const

export const TariffPeriod = record(
  'TariffPeriod',
  { rateBlockUType: oneOf(tariffBlocks) },
  {
    type: oneOf(values.chargeType),
    displayName: Text,
    startDate: SeasonStart,
    endDate: SeasonStart,
    dailySupplyCharges: Money,
    timeZone: oneOf(values.contractTimeZone),
    singleRate: record(
      'TariffSingleRate',
      {},
      {
        displayName: Text,
        description: Text,
        generalUnitPrice: Money,
        rates,
        period: Duration,
      },
    ),
    timeOfUseRates: Type.Array(
      record(
        'TariffTimeOfUseRate',
        {},
        {
          displayName: Text,
          description: Text,
          rates,
          period: Duration,
          timeOfUse: Type.Array(TimeWindow),
          type: oneOf(values.tariffTimeOfUseType),
        },
      ),
    ),
    demandCharges: Type.Array(
      record(
        'DemandCharge',
        {},
        {
          displayName: Text,
          description: Text,
          amount: Money,
          measureUnit,
          ...timeWindow,
          minDemand: Money,
          maxDemand: Money,
          measurementPeriod: oneOf(values.demandPeriod),
          chargePeriod: oneOf(values.demandPeriod),
        },
      ),
    ),
  },
  {
    rules: union('rateBlockUType', tariffBlocks),
    aliases: { dailySupplyCharge: 'dailySupplyCharges' },
  },
)

export const Incentive = record(
  'Incentive',
  {},
  {
    displayName: Text,
    description: Text,
    category: oneOf(values.incentiveCategory),
    eligibility: Text,
  },
)

const discountMethods = [
  'percentOfBill',
  'percentOfUse',
  'fixedAmount',
  'percentOverThreshold',
] as const

export const ContractDiscount = record(
  'ContractDiscount',
  { methodUType: oneOf(discountMethods) },
  {
    displayName: Text,
    description: Text,
    type: oneOf(values.energyDiscountType),
    category: oneOf(values.energyDiscountCategory),
    endDate: DateOrDateTime,
    percentOfBill: record('PercentOfBill', { rate: Decimal }),
    percentOfUse: record('PercentOfUse', { rate: DecimalOrText }),
    fixedAmount: record('ContractFixedAmount', { amount: Money }),
    percentOverThreshold: record('PercentOverThreshold', {
      rate: DecimalOrText,
      usageAmount: DecimalOrText,
    }),
  },
  { rules: union('methodUType', discountMethods) },
)

export const ContractEligibility = record(
  'ContractEligibility',
  { type: oneOf(values.energyEligibilityType) },
  { information: Text, description: Text },
)

export const ContractFee = record(
  'ContractFee',
  { type: oneOf(values.energyFeeType) },
  { term: oneOf(values.energyFeeTerm), rate: Decimal, amount: Money, description: Text },
)

const tariffTypes = ['singleTariff', 'timeVaryingTariffs'] as const

export const SolarFeedInTariff = record(
  'SolarFeedInTariff',
  { tariffUType: oneOf(tariffTypes) },
  {
    displayName: Text,
    description: Text,
    startDate: DateOrDateTime,
    endDate: DateOrDateTime,
    scheme: oneOf(values.solarScheme),
    payerType: oneOf(values.solarPayerType),
    singleTariff: record('SingleTariff', { rates }, { period: Duration }),
    timeVaryingTariffs: Type.Array(
      record(
        'TimeVaryingTariff',
        {},
        {
          type: oneOf(values.solarTimeType),
          rates,
          period: Duration,
          timeVariations: Type.Array(record('TimeVariation', {}, timeWindow)),
        },
      ),
    ),
  },
  { rules: union('tariffUType', tariffTypes) },
)

export const GreenPowerCharge = record(
  'GreenPowerCharge',
  {},
  {
    displayName: Text,
    description: Text,
    scheme: oneOf(values.greenPowerScheme),
    type: oneOf(values.greenPowerType),
    tiers: Type.Array(
      record('GreenPowerTier', { percentGreen: Decimal }, { rate: Decimal, amount: Money }),
    ),
  },
)

export type EnergyContract = Static<typeof EnergyContract>
export const EnergyContract = record(
  'EnergyContract',
  {},
  {
    additionalFeeInformation: Text,
    pricingModel: oneOf(values.pricingModel),
    timeZone: oneOf(values.contractTimeZone),
    termType: oneOf(values.termType),
    isFixed: Flag,
    variation: Text,
    paymentOption: Type.Array(oneOf(values.paymentOption)),
    intrinsicGreenPower: record('IntrinsicGreenPower', { greenPercentage: Decimal }),
    controlledLoad: Type.Array(ControlledLoad),
    incentives: Type.Array(Incentive),
    discounts: Type.Array(ContractDiscount),
    eligibility: Type.Array(ContractEligibility),
    fees: Type.Array(ContractFee),
    greenPowerCharges: Type.Array(GreenPowerCharge),
    solarFeedInTariff: Type.Array(SolarFeedInTariff),
    tariffPeriod: described(Type.Array(TariffPeriod), 'The prices by season.'),
  },
  { description: 'The charges and credits of the retailer for one fuel.' },
)
