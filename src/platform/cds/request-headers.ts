import { isIP } from 'node:net'
import { scalars } from '../../contract/scalars.ts'
import { CdsError } from './errors.ts'

/** The standards have no other type than JSON, which is always UTF-8. */
export function requireAcceptable(accept: string | undefined): void {
  if (accept === undefined || accept.trim() === '' || readJsonQuality(accept) > 0) return
  throw new CdsError('notAcceptable', 'Accept must include application/json')
}

/** From the least to the most specific. */
const jsonRanges = ['*/*', 'application/*', 'application/json']

/** The quality of JSON is that of the most specific range that matches it (RFC 9110, section 12.5.1). */
function readJsonQuality(accept: string): number {
  let best = { rank: 0, quality: 0 }
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const read = (name: string) =>
      parameters.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1)
    const rank = jsonRanges.indexOf(type)
    const quality = Number(read('q') ?? 1)
    const isUtf8 = /^"?utf-?8"?$/.test(read('charset') ?? 'utf-8')
    const isBetter = rank > best.rank || (rank === best.rank && quality > best.quality)
    if (isUtf8 && isBetter) best = { rank, quality }
  }
  return best.quality
}

/** The standards count a request with it as one in the presence of the customer. */
export const customerAddressHeader = 'x-fapi-customer-ip-address'

/** Headers of requests with a token. None is required, and each must have the form that the standards give it. */
const headers = {
  'x-fapi-auth-date': ['an HTTP date, such as Thu, 16 Jan 2020 16:50:15 GMT', isHttpDate],
  [customerAddressHeader]: ['an IP address', (text: string) => isIP(text) > 0],
  'x-fapi-interaction-id': [scalars.uuid.mustBe, scalars.uuid.test],
} as const satisfies Record<string, readonly [string, (text: string) => boolean]>

export function requireValidHeaders(read: (name: string) => string | undefined): void {
  for (const [name, [mustBe, test]] of Object.entries(headers)) {
    const text = read(name)
    if (text === undefined || test(text)) continue
    throw new CdsError('invalidHeader', `${name} must be ${mustBe}`)
  }
}

/** The preferred form of RFC 9110, section 5.6.7, and the two obsolete ones. */
function isHttpDate(text: string): boolean {
  if (/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) {
    const date = new Date(text)
    return !Number.isNaN(date.getTime()) && date.toUTCString().slice(5) === text.slice(5)
  }
  const isObsolete =
    /^\w{6,9}, \d\d-\w{3}-\d\d \d\d:\d\d:\d\d GMT$/.test(text) ||
    /^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(text)
  return isObsolete && !Number.isNaN(Date.parse(text))
}
