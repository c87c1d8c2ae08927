import Type, { type Static } from 'typebox'
import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { DateOrDateTime, Duration, Email, Flag, Id, Money, Text, Timestamp } from '../scalars.ts'
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
    complexAccountType: described(Text, 'An open list. INDIVIDUAL is an account with one holder.'),
    users: described(
      Type.Array(EnergyUser),
      'All related users of a joint or organisation account.',
    ),
  },
  {
    description: 'An energy account with its plans, as returned by E1.',
    rules: [sharedByType],
  },
)

export type EnergyAccountDetail = Static<typeof EnergyAccountDetail>
export const EnergyAccountDetail = record('EnergyAccountDetail', { accountId: Id }, account, {
  description: 'An energy account with its plans, as returned by E2: without users.',
})
