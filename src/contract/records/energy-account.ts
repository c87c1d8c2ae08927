import type { Static } from 'typebox'
import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { DateOrDateTime, Duration, Email, Flag, Id, Money, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'
import { sharedByType } from './banking-account.ts'
import { EnergyContract } from './energy-contract.ts'

const MeteringCharge = record('MeteringCharge', {
  description: 'A charge for metering.',
  optional: {
    displayName: Text,
    description: Text,
    minimumValue: Money,
    maximumValue: Money,
    period: Duration,
  },
})

export const PlanDetail = record('PlanDetail', {
  description: 'The fuel, the contracts and the metering charges of an energy plan.',
  optional: {
    fuelType: oneOf(values.fuelType),
    isContingentPlan: Flag,
    meteringCharges: Type.Array(MeteringCharge),
    electricityContract: EnergyContract,
    gasContract: described(EnergyContract, 'The same structure as the electricity contract.'),
  },
})

const AuthorisedContact = record('AuthorisedContact', {
  description: 'A person who may act for the customer on an energy account.',
  optional: {
    firstName: Text,
    lastName: Text,
    middleNames: Type.Array(Text),
    prefix: Text,
    suffix: Text,
  },
})

export const EnergyPlan = record('EnergyPlan', {
  description: 'One supply agreement of the account.',
  optional: {
    nickname: Text,
    servicePointIds: described(
      Type.Array(Type.Union([Type.String({ minLength: 1 }), Type.Number()])),
      'Identifiers as strings or numbers. Served as loaded.',
    ),
    planOverview: record('PlanOverview', {
      description: 'The name and the dates of an energy plan.',
      optional: {
        displayName: Text,
        startDate: DateOrDateTime,
        endDate: DateOrDateTime,
      },
    }),
    planDetail: PlanDetail,
    authorisedContacts: Type.Array(AuthorisedContact),
  },
})

const EnergyUser = record('EnergyUser', {
  description: 'A joint holder, secondary user or nominated representative.',
  required: { id: Id },
  optional: { email: Email, isAccountHolder: Flag },
})

const account = {
  accountNumber: Text,
  displayName: Text,
  openStatus: described(oneOf(values.openStatus), 'An account without this field is open.'),
  creationDate: Timestamp,
  plans: Type.Array(EnergyPlan),
}

export type EnergyAccount = Static<typeof EnergyAccount>
export const EnergyAccount = record('EnergyAccount', {
  description: 'An energy account with its plans and users.',
  required: { accountId: Id },
  optional: {
    ...account,
    complexAccountType: described(
      Text,
      'An open list. INDIVIDUAL and SOLE_TRADER are accounts of one person.',
    ),
    users: described(
      Type.Array(EnergyUser),
      'All related users of a joint or organisation account.',
    ),
  },
  rules: [sharedByType],
})

export type EnergyAccountDetail = Static<typeof EnergyAccountDetail>
export const EnergyAccountDetail = record('EnergyAccountDetail', {
  description: 'An energy account with its plans, without its users.',
  required: { accountId: Id },
  optional: account,
})
