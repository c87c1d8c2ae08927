import { toCountryCode } from './countries.ts'
import { digits, positiveInteger, text, union } from './scalars.ts'
import {
  type Fields,
  object,
  optional,
  required,
  requiredIf,
  type Shape,
  toText,
} from './shapes.ts'

/** ISO 3166-1 alpha-3. Without a country, an address is in Australia. */
export const country: Shape = {
  write: (value) => (typeof value === 'string' ? toCountryCode(value) : undefined),
  describe: () => ({ type: 'string', pattern: '^[A-Z]{3}$' }),
}

const isAustralian = ({ country: name }: Fields): boolean =>
  name === undefined || toCountryCode(toText(name)) === 'AUS'

/** Four digits in Australia. */
const postcode = digits(4)

/** An address whose country is unknown would appear to be in Australia. */
const simple = object(
  'CommonSimpleAddress',
  {
    mailingName: optional(text),
    addressLine1: required(text),
    addressLine2: optional(text),
    addressLine3: optional(text),
    postcode: requiredIf(isAustralian, postcode),
    city: required(text),
    state: required(text),
    country: optional(country),
  },
  (record) =>
    isAustralian(record) || toCountryCode(toText(record['country'])) !== undefined
      ? record
      : undefined,
)

const paf = object('CommonPAFAddress', {
  dpid: optional(text),
  thoroughfareNumber1: optional(positiveInteger),
  thoroughfareNumber1Suffix: optional(text),
  thoroughfareNumber2: optional(positiveInteger),
  thoroughfareNumber2Suffix: optional(text),
  flatUnitType: optional(text),
  flatUnitNumber: optional(text),
  floorLevelType: optional(text),
  floorLevelNumber: optional(text),
  lotNumber: optional(text),
  buildingName1: optional(text),
  buildingName2: optional(text),
  streetName: optional(text),
  streetType: optional(text),
  streetSuffix: optional(text),
  postalDeliveryType: optional(text),
  postalDeliveryNumber: optional(positiveInteger),
  postalDeliveryNumberPrefix: optional(text),
  postalDeliveryNumberSuffix: optional(text),
  localityName: required(text),
  postcode: required(postcode),
  state: required(text),
})

export const addressFields = union('addressUType', { simple, paf })

export const address = object('CommonPhysicalAddress', addressFields)
