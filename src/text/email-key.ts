import { domainToASCII } from 'node:url'

/** What a domain name may have of ASCII. A URL parser would decode, cut off or refuse the rest. */
const isDomainName = /^[a-z0-9._\-\u0080-\u{10ffff}]+$/u
const isAscii = /^[\0-\x7f]*$/

/** Appended for the conversion: a name that ends in a number would be read as an IPv4 address. */
const suffix = '.test'

/**
 * An e-mail address as it is compared: A–Z in lower case, and the domain as IDNA writes it in ASCII. Nothing else is
 * folded, since two addresses that differ otherwise belong to two people. A domain that cannot be converted is
 * compared as it is written.
 */
export function emailKey(address: string): string {
  const lower = address.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
  // A local part in quotes may contain the sign too.
  const at = lower.lastIndexOf('@') + 1
  return at === 0 ? lower : lower.slice(0, at) + domainKey(lower.slice(at))
}

function domainKey(domain: string): string {
  if (isAscii.test(domain) || !isDomainName.test(domain)) return domain
  const converted = domainToASCII(domain + suffix)
  return converted === '' ? domain : converted.slice(0, -suffix.length)
}
