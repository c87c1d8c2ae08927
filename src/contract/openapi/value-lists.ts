import { flowStates } from '../consent-flows.ts'
import { consentStatuses } from '../consent-statuses.ts'
import { values } from '../enumerations.ts'
import { checkGroups, checkJudgements, checkProfiles, checkStates } from '../records/checks.ts'

/** The lists in requests and responses. Their components are named after them: `featureType` is `FeatureType`. */
const descriptions = {
  accountOwnership: 'How many parties own an account.',
  applicationType: 'When interest is applied to an account.',
  calculationFactorType:
    'The kind of a loss factor: DLF is the distribution loss factor, MLF the marginal loss factor.',
  cardScheme: 'The payment scheme of a card.',
  cardType: 'The kind of a card.',
  chargeType: 'The kind of an energy charge.',
  constraintType: 'What a limit of a banking product applies to.',
  contractTimeZone:
    'The time zone of the times in an energy contract: LOCAL is the time zone of the service point, AEST is Australian Eastern Standard Time.',
  controlledLoadTimeOfUseType: 'The time of use that a controlled-load rate applies to.',
  dailySupplyChargeType: 'Whether a daily supply charge is one amount or has bands.',
  day: 'A day of the week, or all public holidays.',
  deliveryAddressType: 'What a postal address is used for.',
  demandPeriod: 'The period over which demand is measured or charged.',
  demandTimeType: 'The time of use that a demand charge applies to.',
  depositRateType: 'The kind of an interest rate that an account earns.',
  digitalWalletProvider: 'The provider of a digital wallet.',
  digitalWalletType: 'What the identifier of a digital wallet is.',
  discountEligibilityType: 'A condition for a discount on a fee.',
  discountRateType: 'What the rate of a discount is applied to.',
  discountType: 'What a discount on a fee depends on.',
  eligibilityType: 'A condition for applicants of a banking product.',
  energyDiscountCategory: 'The reason for a discount of an energy contract.',
  energyDiscountType: 'Whether a discount of an energy contract is guaranteed or conditional.',
  energyEligibilityType: 'A condition for customers of an energy contract.',
  energyFeeTerm: 'The term of a fee of an energy contract.',
  energyFeeType: 'The kind of a fee of an energy contract.',
  featureType: 'The kind of a feature of an account or a banking product.',
  feeRateType: 'What the rate of a fee is applied to.',
  feeType: 'The kind of a fee of an account or a banking product.',
  fuelType: 'The fuel of an energy plan.',
  greenPowerScheme: 'The scheme of a green power charge.',
  greenPowerType: 'How a green power charge is calculated.',
  holderRelationship: 'The relationship of a person to an account.',
  incentiveCategory: 'The kind of an incentive of an energy contract.',
  interestPaymentDue: 'Whether interest is paid in advance or in arrears.',
  isActivated: 'Whether a feature is activated for an account.',
  lastWeekDay: 'A day of the week, of which the last one in each period counts.',
  lendingRateType: 'The kind of an interest rate that a customer pays.',
  loanPurpose: 'The purpose of a loan.',
  maturityInstructions: 'What happens to a term deposit when it matures.',
  measureUnit: 'The unit of an energy quantity.',
  nonBusinessDayTreatment:
    'What happens to a payment that falls on a day that is not a business day.',
  openStatus: 'Whether an account is open or closed.',
  openStatusFilter: 'The accounts to return: all, only closed or only open ones.',
  payIdType: 'What a PayID is.',
  paymentMethod: 'The method of a payment to an energy account.',
  paymentOption: 'A way to pay the bills of an energy contract.',
  paymentStatus: 'Whether an energy invoice has been paid.',
  pricingModel: 'The pricing model of an energy contract.',
  productCategory: 'The category of a banking product.',
  rateApplicabilityType: 'A condition for an interest rate.',
  rateApplicationMethod:
    'Whether a tier of a rate applies to the part of the balance within the tier or to the whole balance.',
  repaymentType: 'What the repayments of a loan cover.',
  scheduledPaymentStatus: 'Whether a scheduled payment will be made.',
  solarPayerType: 'Who pays a solar feed-in tariff.',
  solarScheme: 'The scheme of a solar feed-in tariff.',
  solarTimeType: 'The time of use that a solar feed-in tariff applies to.',
  tariffTimeOfUseType: 'The time of use that a tariff applies to.',
  telephoneNetwork: 'The network of a telephone number.',
  telephoneType: 'What a telephone number is used for.',
  termType: 'The term of an energy contract.',
  transactionStatus: 'Whether a transaction has been posted.',
  transactionType: 'The kind of a transaction.',
  unitOfMeasure: 'The unit of the bounds of a tier.',
  usageTimeType: 'The time of use that a usage charge applies to.',
} satisfies Record<Exclude<keyof typeof values, 'contactStatus'>, string>

interface ValueList {
  readonly name: string
  readonly description: string
}

/** Lists of operations that are no part of the interface, and that several records have. */
const ownLists = [
  { name: 'CheckGroup', list: checkGroups, description: 'A group of checks.' },
  { name: 'CheckJudgement', list: checkJudgements, description: 'The result of a check.' },
  { name: 'CheckProfile', list: checkProfiles, description: 'Which checks run.' },
  { name: 'CheckState', list: checkStates, description: 'The state of a run of checks.' },
  { name: 'ConsentFlowState', list: flowStates, description: 'The state of a consent flow.' },
  { name: 'ConsentStatus', list: consentStatuses, description: 'The status of a consent.' },
] as const

/** The contract copies lists, so they are found by their values. */
const valueLists = new Map<string, ValueList>([
  ...Object.entries(descriptions).map(([name, description]): [string, ValueList] => [
    toKey(values[name as keyof typeof descriptions]),
    { name: toPascalCase(name), description },
  ]),
  ...ownLists.map(({ list, ...named }): [string, ValueList] => [toKey(list), named]),
])

/** The name and the description of a list that several records have; undefined for another list. */
export function findValueList(list: readonly string[]): ValueList | undefined {
  return valueLists.get(toKey(list))
}

function toKey(list: readonly string[]): string {
  return list.join()
}

/** `product-category`, `product_category` and `productCategory` become `ProductCategory`. */
export function toPascalCase(name: string): string {
  return name.replaceAll(/(?:^|[-_])([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
