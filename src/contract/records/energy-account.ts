import type { Static } from 'typebox'
import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { DateOrDateTime, Duration, Email, Flag, Id, Money, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'
import { sharedByType } from './banking-account.ts'
import { EnergyContract } from './energy-contract.ts'

export const MeteringCharge = record(
  'MeteringCharge',
  {},
  {
    displayName: Text,
    description: Text,
    minimumValue: Money,
    maximumValue: Money,
    period: Duration,
  },
  { description: 'A charge for metering.' },
)

export const PlanDetail = record(
  'PlanDetail',
  {},
  {
    fuelType: oneOf(values.fuelType),
    isContingentPlan: Flag,
    meteringCharges: Type.Array(MeteringCharge),
    electricityContract: EnergyContract,
    gasContract: described(EnergyContract, 'The same structure as the electricity contract.'),
  },
  { description: 'The fuel, the contracts and the metering charges of an energy plan.' },
)

export const AuthorisedContact = record(
  'AuthorisedContact',
  {},
  {
    firstName: Text,
    lastName: Text,
    middleNames: Type.Array(Text),
    prefix: Text,
    suffix: Text,
  },
  { description: 'A person who may act for the customer on an energy account.' },
)

export type EnergyPlan = Static<typeof EnergyPlan>
export const EnergyPlan = record(
  'EnergyPlan',
  {},
  {
    nickname: Text,
    servicePointIds: described(
      Type.Array(Type.Union([Type.String({ minLength: 1 }), Type.Number()])),
      'Identifiers as strings or numbers. Served as loaded.',
    ),
    planOverview: record(
      'PlanOverview',
      {},
      {
        displayName: Text,
        startDate: DateOrDateTime,
        endDate: DateOrDateTime,
      },
      { description: 'The name and the dates of an energy plan.' },
    ),
    planDetail: PlanDetail,
    authorisedContacts: Type.Array(AuthorisedContact),
  },
  { description: 'One supply agreement of the account.' },
)

export const EnergyUser = record(
  'EnergyUser',
  { id: Id },
  {
    email: Email,
    isAccountHolder: Flag,
  },
  { description: 'A joint holder, secondary user or nominated representative.' },
)

const account = {
  accountNumber: Text,
  displayName: Text,
  openStatus: described(oneOf(values.openStatus), 'An account without this field is open.'),
  creationDate: Timestamp,
  plans: Type.Array(EnergyPlan),
}

export type EnergyAccount = Static<typeof EnergyAccount>
export const EnergyAccount = record(
  'EnergyAccount',
  { accountId: Id },
  {
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
  {
    description: 'An energy account with its plans and users.',
    rules: [sharedByType],
  },
)

export type EnergyAccountDetail = Static<typeof EnergyAccountDetail>
export const EnergyAccountDetail = record('EnergyAccountDetail', { accountId: Id }, account, {
  description: 'An energy account with its plans, without its users.',
})
