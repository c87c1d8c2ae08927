import type { Static } from 'typebox'
import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { Email, Text } from '../scalars.ts'
import { Type } from '../type.ts'

export const ContactHolder = record(
  'ContactHolder',
  {
    relationship: oneOf(values.holderRelationship),
    name: record(
      'HolderName',
      { first: Text, last: Text },
      { middle: Text, suffix: Text },
      { description: 'The name of a person.' },
    ),
  },
  {},
  { description: 'A person with a relationship to an account.' },
)

export const ContactAddress = record(
  'ContactAddress',
  { line1: Text, city: Text, region: Text, postalCode: Text, country: Text },
  { line2: Text, type: oneOf(values.deliveryAddressType) },
  { description: 'A postal address of the holders of an account.' },
)

export const ContactTelephone = record(
  'ContactTelephone',
  {
    type: oneOf(values.telephoneType),
    country: described(Text, 'The calling code.'),
    number: Text,
  },
  { network: oneOf(values.telephoneNetwork) },
  { description: 'A telephone number of the holders of an account.' },
)

export type AccountContact = Static<typeof AccountContact>
export const AccountContact = record(
  'AccountContact',
  {
    holders: Type.Array(ContactHolder, { minItems: 1 }),
    emails: Type.Array(Email, { minItems: 1 }),
    addresses: Type.Array(ContactAddress, { minItems: 1 }),
    telephones: Type.Array(ContactTelephone, { minItems: 1 }),
  },
  {},
  { description: 'The contact details of the holders of an account.' },
)
