import { createHash } from 'node:crypto'

/** What is kept of a name or an e-mail address: enough to know it again, and not what it was. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
