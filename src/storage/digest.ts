import { createHash } from 'node:crypto'
import { foldCase } from '../text/case-folding.ts'
import { emailKey } from '../text/email-key.ts'

/** What is kept of a removed customer's name: enough to recognise it, and not the name itself. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** The same of an e-mail address. The prefix keeps it apart from digests of earlier versions. */
export function emailDigest(address: string): string {
  return digest(`email:${emailKey(address)}`)
}

/**
 * As earlier versions wrote it, with case ignored as in a text filter. It stays in databases and dumps, for customers
 * that were removed: their addresses are not known any more.
 */
export function earlierEmailDigest(address: string): string {
  return digest(foldCase(address))
}
