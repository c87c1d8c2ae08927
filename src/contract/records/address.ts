import { oneOf } from '../enumerations.ts'
import { record } from '../record.ts'
import { union } from '../rules.ts'
import { DigitsNumber, Text } from '../scalars.ts'

const addressTypes = ['simple', 'paf'] as const

const SimpleAddress = record('SimpleAddress', {
  description: 'A postal address as lines of text.',
  optional: {
    mailingName: Text,
    addressLine1: Text,
    addressLine2: Text,
    addressLine3: Text,
    city: Text,
    postcode: DigitsNumber,
    state: Text,
    country: Text,
  },
})

const PafAddress = record('PafAddress', {
  description: 'An address in the format of the national Postal Address File (PAF).',
  optional: {
    dpid: Text,
    thoroughfareNumber1: DigitsNumber,
    thoroughfareNumber1Suffix: Text,
    thoroughfareNumber2: DigitsNumber,
    thoroughfareNumber2Suffix: Text,
    flatUnitType: Text,
    flatUnitNumber: Text,
    floorLevelType: Text,
    floorLevelNumber: Text,
    lotNumber: Text,
    buildingName1: Text,
    buildingName2: Text,
    streetName: Text,
    streetType: Text,
    streetSuffix: Text,
    postalDeliveryType: Text,
    postalDeliveryNumber: DigitsNumber,
    postalDeliveryNumberPrefix: Text,
    postalDeliveryNumberSuffix: Text,
    localityName: Text,
    postcode: DigitsNumber,
    state: Text,
  },
})

export const AccountAddress = record('AccountAddress', {
  description: 'A postal address, as lines of text or in the format of the Postal Address File.',
  required: { addressUType: oneOf(addressTypes) },
  optional: { simple: SimpleAddress, paf: PafAddress },
  rules: union('addressUType', addressTypes),
})
