import { createHmac } from 'node:crypto'
import type { ConsentStore } from './store.ts'

/** Returns a function that makes the keys of stored limits. They do not show whom a limit is about. */
export async function openLimitKeys({ readSecret }: Pick<ConsentStore, 'readSecret'>) {
  const secret = await readSecret('limits')
  return (...parts: readonly string[]): string =>
    createHmac('sha256', secret).update(parts.join(' ')).digest('base64url')
}
