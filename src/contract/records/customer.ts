import type { Static } from 'typebox'
import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { Decimal, Email, Flag, Id, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'

const CustomerAddress = record('CustomerAddress', {
  description: 'The postal address of a customer.',
  optional: {
    streetAddress: Text,
    locality: Text,
    region: Text,
    postalCode: Text,
    country: Text,
  },
})

export type Customer = Static<typeof Customer>
export const Customer = record('Customer', {
  description: 'A customer, with the data for ID tokens and UserInfo.',
  required: { id: described(Id, 'Permanent: it never changes and is never reused.'), name: Text },
  optional: {
    email: described(Email, 'C1 finds the customer by it, and by the `emails` beside the record.'),
    emailVerified: Flag,
    familyName: Text,
    givenName: Text,
    phoneNumber: Text,
    phoneNumberVerified: Flag,
    updatedAt: Timestamp,
    address: CustomerAddress,
  },
})

export type CustomerMatch = Static<typeof CustomerMatch>
export const CustomerMatch = record('CustomerMatch', {
  description: 'A customer found by e-mail address.',
  required: { id: Id, name: Text },
  optional: { phoneNumber: described(Text, 'The number that receives one-time passcodes by SMS.') },
})

export type ShareableAccount = Static<typeof ShareableAccount>
export const ShareableAccount = record('ShareableAccount', {
  description: 'An account that the customer can share.',
  required: { id: Id, name: described(Text, 'The name of the product or plan.') },
  optional: {
    type: described(
      oneOf([...values.productCategory, ...values.fuelType]),
      'The product category, or the fuel type.',
    ),
    displayName: Text,
  },
})

export type ExampleBalance = Static<typeof ExampleBalance>
export const ExampleBalance = record('ExampleBalance', {
  description: 'The balance of an account, for display.',
  required: {
    account_id: Id,
    available: Decimal,
    current: Decimal,
    currency: Text,
  },
})

export type CustomerSearch = Static<typeof CustomerSearch>
export const CustomerSearch = Type.Object(
  { email: described(Email, 'Case-insensitive.') },
  { name: 'CustomerSearch', description: 'The e-mail address to search for.' },
)
