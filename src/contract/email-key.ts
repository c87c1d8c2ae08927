/** Other ASCII characters are excluded: a URL parser would decode, truncate or reject them. */
const isDomainName = /^[a-z0-9._\-\u0080-\u{10ffff}]+$/u
const isAscii = /^[\0-\x7f]*$/

/** Appended during conversion, because a name that ends in a number would be parsed as an IPv4 address. */
const suffix = '.test'

/**
 * The comparison key of an e-mail address: A–Z in lower case, and the domain in ASCII (IDNA). Nothing else is folded,
 * because addresses that differ otherwise belong to different customers. A domain that cannot be converted is used as
 * it is.
 */
export function emailKey(address: string): string {
  const lower = address.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
  // A quoted local part may contain an @.
  const at = lower.lastIndexOf('@') + 1
  return at === 0 ? lower : lower.slice(0, at) + domainKey(lower.slice(at))
}

function domainKey(domain: string): string {
  if (isAscii.test(domain) || !isDomainName.test(domain)) return domain
  const converted = URL.parse(`http://${domain}${suffix}`)?.hostname
  return converted === undefined ? domain : converted.slice(0, -suffix.length)
}
