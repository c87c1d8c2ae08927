import Type, { type Static } from 'typebox'
import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { Decimal, Email, Flag, Id, Text, Timestamp } from '../scalars.ts'

export const CustomerAddress = record(
  'CustomerAddress',
  {},
  {
    streetAddress: Text,
    locality: Text,
    region: Text,
    postalCode: Text,
    country: Text,
  },
)

export type Customer = Static<typeof Customer>
export const Customer = record(
  'Customer',
  {
    id: described(Id, 'For life: never renamed, never given to another person.'),
    name: Text,
    email: Email,
  },
  {
    emailVerified: Flag,
    familyName: Text,
    givenName: Text,
    phoneNumber: Text,
    phoneNumberVerified: Flag,
    updatedAt: Timestamp,
    address: CustomerAddress,
  },
  { description: 'Who a customer is, for issuing identity tokens.' },
)

export type CustomerMatch = Static<typeof CustomerMatch>
export const CustomerMatch = record(
  'CustomerMatch',
  { id: Id, name: Text },
  { phoneNumber: described(Text, 'Where a one-time passcode is sent by SMS.') },
  { description: 'A customer found by e-mail address.' },
)

export type ShareableAccount = Static<typeof ShareableAccount>
export const ShareableAccount = record(
  'ShareableAccount',
  { id: Id, name: described(Text, 'The name of the product or plan.') },
  {
    type: described(
      oneOf([...values.productCategory, ...values.fuelType]),
      'The product category, or the fuel type.',
    ),
    displayName: Text,
  },
  { description: 'An account that the customer may choose to share.' },
)

export type ExampleBalance = Static<typeof ExampleBalance>
export const ExampleBalance = record('ExampleBalance', {
  account_id: Id,
  available: Decimal,
  current: Decimal,
  currency: Text,
})

export type CustomerSearch = Static<typeof CustomerSearch>
export const CustomerSearch = Type.Object(
  { email: described(Email, 'Matched without regard to case.') },
  { name: 'CustomerSearch' },
)
