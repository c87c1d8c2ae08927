import { isLoopback } from '../../http/loopback.ts'

/** Requires two slashes: without them, user and password would not be recognised as such and not be masked. */
export function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:\/\/[^\s]+$/.test(text) && URL.canParse(text)
}

/** URLs are compared as text, so a URL that a parser would normalise is invalid. */
export function isWebUrl(text: string): boolean {
  return /^https?:\/\/[^\s\\]+$/.test(text) && URL.canParse(text)
}

/** Whether responses from the URL cannot be changed in transit. */
export function isProtected(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isLoopback(hostname)
}

export function isTimeZone(text: string): boolean {
  // Loading the time zone data would delay every start, and UTC is the default.
  if (text === 'UTC') return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}
