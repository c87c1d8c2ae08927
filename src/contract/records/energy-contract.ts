import type { Static } from 'typebox'
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

const measureUnit = oneOf(values.measureUnit)

export const UnitRate = record(
  'UnitRate',
  { unitPrice: Money },
  { measureUnit, volume: Decimal },
  { description: 'A price per unit, and the volume up to which it applies.' },
)
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
  { description: 'The days and times at which a rate applies.' },
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
      {
        description: 'A controlled-load rate that applies at all times.',
        aliases: supplyChargeAlias,
      },
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
        {
          description: 'A controlled-load rate that applies at certain times.',
          aliases: supplyChargeAlias,
        },
      ),
    ),
  },
  {
    description: 'The rates for a separately controlled load, such as a hot water system.',
    rules: union('rateBlockUType', controlledBlocks),
  },
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
      { description: 'A rate that applies at all times.' },
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
        { description: 'A rate that applies at certain times.' },
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
        { description: 'A charge for the highest demand in a period.' },
      ),
    ),
  },
  {
    description: 'The prices of a season.',
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
  { description: 'An incentive for customers who choose a contract.' },
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
    percentOfBill: record(
      'PercentOfBill',
      { rate: Decimal },
      {},
      { description: 'A discount on the whole bill.' },
    ),
    percentOfUse: record(
      'PercentOfUse',
      { rate: DecimalOrText },
      {},
      { description: 'A discount on the charges for usage.' },
    ),
    fixedAmount: record(
      'ContractFixedAmount',
      { amount: Money },
      {},
      { description: 'A discount of a fixed amount.' },
    ),
    percentOverThreshold: record(
      'PercentOverThreshold',
      {
        rate: DecimalOrText,
        usageAmount: DecimalOrText,
      },
      {},
      { description: 'A discount on usage above a threshold.' },
    ),
  },
  {
    description: 'A discount of an energy contract.',
    rules: union('methodUType', discountMethods),
  },
)

export const ContractEligibility = record(
  'ContractEligibility',
  { type: oneOf(values.energyEligibilityType) },
  { information: Text, description: Text },
  { description: 'A condition that customers must meet for a contract.' },
)

export const ContractFee = record(
  'ContractFee',
  { type: oneOf(values.energyFeeType) },
  { term: oneOf(values.energyFeeTerm), rate: Decimal, amount: Money, description: Text },
  { description: 'A fee of an energy contract.' },
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
    singleTariff: record(
      'SingleTariff',
      { rates },
      { period: Duration },
      { description: 'A feed-in tariff that applies at all times.' },
    ),
    timeVaryingTariffs: Type.Array(
      record(
        'TimeVaryingTariff',
        {},
        {
          displayName: Text,
          type: oneOf(values.solarTimeType),
          rates,
          period: Duration,
          timeVariations: Type.Array(
            record('TimeVariation', {}, timeWindow, {
              description: 'The days and times at which a feed-in tariff applies.',
            }),
          ),
        },
        { description: 'A feed-in tariff that applies at certain times.' },
      ),
    ),
  },
  {
    description: 'A credit for solar energy that the customer exports.',
    rules: union('tariffUType', tariffTypes),
  },
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
      record(
        'GreenPowerTier',
        { percentGreen: Decimal },
        { rate: Decimal, amount: Money },
        { description: 'The price of a share of renewable energy.' },
      ),
    ),
  },
  { description: 'A charge for renewable energy.' },
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
    intrinsicGreenPower: record(
      'IntrinsicGreenPower',
      { greenPercentage: Decimal },
      {},
      { description: 'The share of renewable energy that a contract includes.' },
    ),
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
