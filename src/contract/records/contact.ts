import type { Static } from 'typebox'
import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { Email, Text } from '../scalars.ts'
import { Type } from '../type.ts'

const ContactHolder = record('ContactHolder', {
  description: 'A person with a relationship to an account.',
  required: {
    relationship: oneOf(values.holderRelationship),
    name: record('HolderName', {
      description: 'The name of a person.',
      required: { first: Text, last: Text },
      optional: { middle: Text, suffix: Text },
    }),
  },
})

const ContactAddress = record('ContactAddress', {
  description: 'A postal address of the holders of an account.',
  required: { line1: Text, city: Text, region: Text, postalCode: Text, country: Text },
  optional: { line2: Text, type: oneOf(values.deliveryAddressType) },
})

const ContactTelephone = record('ContactTelephone', {
  description: 'A telephone number of the holders of an account.',
  required: {
    type: oneOf(values.telephoneType),
    country: described(Text, 'The calling code.'),
    number: Text,
  },
  optional: { network: oneOf(values.telephoneNetwork) },
})

export type AccountContact = Static<typeof AccountContact>
export const AccountContact = record('AccountContact', {
  description: 'The contact details of the holders of an account.',
  required: {
    holders: Type.Array(ContactHolder, { minItems: 1 }),
    emails: Type.Array(Email, { minItems: 1 }),
    addresses: Type.Array(ContactAddress, { minItems: 1 }),
    telephones: Type.Array(ContactTelephone, { minItems: 1 }),
  },
})
