import { createHash } from 'node:crypto'
import { emailKey } from '../contract/email-key.ts'

/** Stored in place of a removed customer's name: enough to recognise the name, but not the name itself. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/**
 * Stored in place of a removed customer's e-mail address. Customers without an address have a digest in common, which is that of no address.
 */
export function emailDigest(address: string | undefined): string {
  return address === undefined ? digest('') : digest(`email:${emailKey(address)}`)
}

/** How the further addresses of a customer are stored. Undefined if there are none. */
export function toEmailsText(emails: readonly string[]): string | undefined {
  return emails.length > 0 ? JSON.stringify(emails) : undefined
}
