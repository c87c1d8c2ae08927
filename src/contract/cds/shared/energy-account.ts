import { values } from '../../enumerations.ts'
import { energyContract } from './energy-contract.ts'
import {
  amount,
  anyText,
  date,
  displayName,
  duration,
  enumeration,
  flag,
  id,
  nonEmpty,
  text,
} from './scalars.ts'
import { type Fields, list, object, optional, required, requiredIf, toText } from './shapes.ts'

const meteringCharge = object('EnergyMeteringCharge', {
  displayName,
  description: optional(text),
  minimumValue: required(amount),
  maximumValue: optional(amount),
  period: optional(duration),
})

const hasFuel = (...fuels: readonly string[]) => {
  return ({ fuelType }: Fields) => fuels.includes(toText(fuelType))
}

const planDetail = object('EnergyPlanDetail', {
  fuelType: required(enumeration(values.fuelType)),
  isContingentPlan: optional(flag),
  meteringCharges: optional(list(meteringCharge)),
  gasContract: requiredIf(hasFuel('GAS', 'DUAL'), energyContract),
  electricityContract: requiredIf(hasFuel('ELECTRICITY', 'DUAL'), energyContract),
})

const planOverview = object('EnergyPlanOverview', {
  displayName: optional(text),
  startDate: required(date),
  endDate: optional(date),
})

const authorisedContact = object('EnergyAuthorisedContact', {
  firstName: optional(nonEmpty),
  lastName: anyText,
  middleNames: optional(list(text)),
  prefix: optional(text),
  suffix: optional(text),
})

/** A list of service points may be empty. */
const plan = {
  nickname: optional(text),
  servicePointIds: required(list(id('servicePoint')), { otherwise: [] }),
  planOverview: optional(planOverview),
}

const isOpen = ({ openStatus }: Fields) => openStatus !== 'CLOSED'

const account = {
  accountId: required(id('account')),
  accountNumber: optional(text),
  displayName: optional(text),
  openStatus: optional(enumeration(values.openStatus), { otherwise: 'OPEN' }),
  creationDate: requiredIf(isOpen, date),
}

export const energyAccount = object('EnergyAccount', {
  ...account,
  plans: required(list(object('EnergyPlan', plan)), { otherwise: [] }),
})

const detailedPlan = object('EnergyDetailedPlan', {
  ...plan,
  planDetail: optional(planDetail),
  authorisedContacts: optional(list(authorisedContact)),
})

export const energyAccountDetail = object('EnergyAccountDetail', {
  ...account,
  plans: required(list(detailedPlan), { otherwise: [] }),
})
