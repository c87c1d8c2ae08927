import { createHash } from 'node:crypto'
import { foldCase } from '../contract/case-folding.ts'
import { emailKey } from '../contract/email-key.ts'

/** Stored in place of a removed customer's name: enough to recognise the name, but not the name itself. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/**
 * The same for an e-mail address. The prefix distinguishes it from digests of earlier versions. Customers without an
 * address have a digest in common, which is that of no address.
 */
export function emailDigest(address: string | undefined): string {
  return address === undefined ? digest('') : digest(`email:${emailKey(address)}`)
}

/**
 * The digest of earlier versions, with the case folding of text filters. It remains in databases and dumps for removed
 * customers, whose addresses are no longer known.
 */
export function earlierEmailDigest(address: string | undefined): string {
  return digest(foldCase(address ?? ''))
}
