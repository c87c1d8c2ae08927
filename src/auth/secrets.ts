import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const secretBytes = 32

/** Identifies the algorithm of a stored hash. */
const hashPrefix = 'sha256$'

export function makeSecret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

/** A secret is 32 random bytes and cannot be guessed, so a slow hash would add no protection. */
export function hashSecret(secret: string): string {
  return hashPrefix + digest(secret)
}

export function isSecret(secret: string, stored: string): boolean {
  return isEqual(hashSecret(secret), stored)
}

/** Compares in constant time. */
export function isEqual(given: string, stored: string): boolean {
  const actual = Buffer.from(given)
  const expected = Buffer.from(stored)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/** For random input only: a fast digest would not protect text that can be guessed. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
