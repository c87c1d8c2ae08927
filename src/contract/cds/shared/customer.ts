import { scalars } from '../../scalars.ts'
import { addressFields } from './address.ts'
import { dateTime, enumeration, flag, nonEmpty, text } from './scalars.ts'
import {
  type Fields,
  list,
  member,
  object,
  optional,
  required,
  type Shape,
  toText,
} from './shapes.ts'

/** A customer of the interface is a person. A single name is the last name. */
const person = {
  lastUpdateTime: optional(dateTime, { read: ({ updatedAt }) => updatedAt }),
  firstName: optional(nonEmpty, {
    read: ({ givenName, familyName }) => (familyName === undefined ? undefined : givenName),
  }),
  lastName: required(text, { read: ({ familyName, name }) => familyName ?? name }),
  middleNames: required(list(text), { read: () => [] }),
}

/** The calling codes of one or two digits. All others have three. */
const international =
  /^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d{3,14})$/

/**
 * A phone number in the international format, or an Australian one with its leading zero. In another form, its country is
 * unknown.
 */
function readPhone(phoneNumber: unknown): Fields | undefined {
  const compact = toText(phoneNumber).replaceAll(/[\s().-]/g, '')
  const fullNumber = compact.replace(/^00?(?=[1-9])/, (zeros) => (zeros === '0' ? '+61' : '+'))
  const [, code, digits = ''] = international.exec(fullNumber) ?? []
  if (code === undefined) return undefined
  const common = { isPreferred: true, countryCode: `+${code}`, fullNumber }
  if (code !== '61') return { ...common, purpose: 'INTERNATIONAL', number: digits }
  if (digits.startsWith('4')) return { ...common, purpose: 'MOBILE', number: `0${digits}` }
  const [areaCode] = digits
  return { ...common, purpose: 'UNSPECIFIED', areaCode, number: digits.slice(1) }
}

const phoneNumber = object(
  'CommonPhoneNumber',
  {
    isPreferred: optional(flag),
    purpose: required(
      enumeration(['HOME', 'INTERNATIONAL', 'MOBILE', 'OTHER', 'UNSPECIFIED', 'WORK']),
    ),
    countryCode: optional(text),
    areaCode: optional(text),
    number: required(text),
    fullNumber: required(text),
  },
  (record) => readPhone(record['phoneNumber']),
)

const emailAddress: Shape = {
  write: (value) => (scalars.email.test(toText(value)) ? value : undefined),
  describe: () => ({ type: 'string' }),
}

const email = object('CommonEmailAddress', {
  isPreferred: optional(flag, { read: () => true }),
  purpose: required(enumeration(['HOME', 'OTHER', 'UNSPECIFIED', 'WORK']), {
    read: () => 'UNSPECIFIED',
  }),
  address: required(emailAddress, { read: (record) => record['email'] }),
})

/** The address of the interface is a postal one. Its first three lines are those of the street. */
const physicalAddress = object(
  'CommonPhysicalAddressWithPurpose',
  { ...addressFields, purpose: required(enumeration(['MAIL'])) },
  ({ streetAddress, locality, region, postalCode, country }) => {
    const [addressLine1, addressLine2, ...others] = toText(streetAddress ?? '')
      .split(/[\r\n]+/)
      .map((line) => line.trim())
      .filter((line) => line !== '')
    return {
      purpose: 'MAIL',
      addressUType: 'simple',
      simple: {
        addressLine1,
        addressLine2,
        addressLine3: others.length > 0 ? others.join(', ') : undefined,
        city: locality,
        state: region,
        postcode: postalCode,
        country,
      },
    }
  },
)

/** A list of one, or an empty one if the provider has no value. */
const listOfOne = (name: string) => ({
  read: (record: Fields) => (record[name] === undefined ? [] : [record]),
})

const personDetail = {
  ...person,
  phoneNumbers: required(list(phoneNumber), listOfOne('phoneNumber')),
  emailAddresses: required(list(email), listOfOne('email')),
  physicalAddresses: required(list(physicalAddress), {
    read: ({ address }) => (address === undefined ? [] : [address]),
  }),
}

function ofPerson(name: string, fields: Parameters<typeof object>[1]) {
  return object(
    name,
    {
      customerUType: required(enumeration(['organisation', 'person'])),
      person: member('customerUType', 'person', object(`${name}Person`, fields)),
    },
    (record) => ({ customerUType: 'person', person: record }),
  )
}

export const customer = ofPerson('CommonCustomer', person)
export const customerDetail = ofPerson('CommonCustomerDetail', personDetail)
