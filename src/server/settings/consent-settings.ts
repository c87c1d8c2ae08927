import { thirdPartyLimits } from '../../contract/traffic-limits.ts'
import type { Definitions } from './definition.ts'
import { isProtected, isWebUrl } from './value-rules.ts'
import { baseUrl, flag, oneOf, path, wholeNumber } from './value-types.ts'

const passcodesMax = 60_000
const brandNameLengthMax = 60

const brandColourDefault = '#0b5fff'

/** The settings of the platform's consent role, in which customers share their data with third parties. */
export const consentDefinitions = {
  issuer: {
    about:
      'the public base URL at which customers give consent, and the issuer of third parties’ tokens; without it, the platform serves the catalogue alone',
    placeholder: 'url',
    mustBe:
      'an https URL without credentials, query and trailing slash, or an http URL of this host',
    read: (text) =>
      isWebUrl(text) && isProtected(text) && !/[?#@]|\/$/.test(text) ? text : undefined,
    requiredWith: ['registerKeys'],
  },
  registerKeys: {
    about:
      'the URL of the JSON Web Key Set of the register, whose tokens authenticate it at Get Metrics and Metadata Update; without it, these are not served',
    placeholder: 'url',
    mustBe: 'an https URL, or an http URL of this host, without credentials',
    read: (text) => (isWebUrl(text) && isProtected(text) && !/[#@]/.test(text) ? text : undefined),
  },
  adminUrl: {
    about:
      'the admin base URI that the register has of the platform, which the path /cds-au/v1 follows: the audience of its tokens',
    ...baseUrl,
    derived: { about: 'the issuer', from: (_role, { issuer }) => issuer },
  },
  brandId: {
    about:
      'the Data Holder Brand ID: iss and sub of the tokens with which the platform informs third parties that a consent ended',
    placeholder: 'id',
    mustBe: '1 to 256 characters without whitespace',
    read: (text) => (/^\S{1,256}$/.test(text) ? text : undefined),
    derived: { about: 'the issuer', from: (_role, { issuer }) => issuer },
  },
  passcodeUrl: {
    about:
      'the URL that one-time passcodes are posted to, for delivery to the phone of the customer',
    placeholder: 'url',
    mustBe: 'an https URL, or an http URL of this host, without credentials',
    read: (text) => (isWebUrl(text) && isProtected(text) && !/[#@]/.test(text) ? text : undefined),
    requiredWith: ['issuer'],
  },
  customerReceipts: {
    about:
      'whether customers get receipts of consents that they give or amend, and that end: they are posted to the passcode URL',
    ...flag,
    defaults: { platform: 'false' },
  },
  thirdPartyLimits: {
    about:
      'the limits of third parties at the endpoints with a token: `cds` are the traffic thresholds of the Consumer Data Standards; without it, there are none',
    ...oneOf('limits', thirdPartyLimits),
  },
  passcodesPerMinute: {
    about:
      'how many one-time passcodes a minute customers may request without entering them, all together; half of it for each third party. Ten times as many at once. Beyond it, each network address has a reserve',
    ...wholeNumber(1, passcodesMax),
    defaults: { platform: '120', demo: '120' },
  },
  wrongPasscodesPerMinute: {
    about:
      'how many wrong passcodes a minute are compared, of all customers together; half of it for each third party. Five times as many at once. Beyond it, each network address has a reserve',
    ...wholeNumber(1, passcodesMax),
    defaults: { platform: '12', demo: '12' },
  },
  brandName: {
    about: 'the name of the data provider on the consent pages',
    placeholder: 'name',
    mustBe: `1 to ${brandNameLengthMax} printable characters`,
    read: (text) =>
      /^[^\p{Cc}\p{Cs}]+$/u.test(text) && text.length <= brandNameLengthMax ? text : undefined,
    defaults: { platform: 'your provider' },
  },
  brandLogo: {
    about: 'a file with the logo on the consent pages',
    ...path('the path of a PNG or SVG file'),
  },
  brandColour: {
    about: 'the colour of buttons and links on the consent pages',
    placeholder: 'colour',
    mustBe: 'a colour such as #0b5fff',
    read: (text) => (/^#[\da-f]{6}$/i.test(text) ? text.toLowerCase() : undefined),
    defaults: { platform: brandColourDefault },
  },
} satisfies Definitions
