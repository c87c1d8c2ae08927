import { escapeInvisible } from '../../contract/characters.ts'
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

/** Longer values are no mistyped ones. */
const quotedLengthMax = 60

/** The password of an address may be in a URL, and in a text with `@` that was meant for another setting. */
export function quoteValue(placeholder: string, text = ''): string {
  if (placeholder === 'url' || text.includes('@') || text.length > quotedLengthMax) return ''
  return `, not ${escapeInvisible(JSON.stringify(text))}`
}
