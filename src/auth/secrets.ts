import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const secretBytes = 32

/** Names the algorithm of a stored hash. An earlier version stored scrypt hashes, which are not compared any more. */
const hashPrefix = 'sha256$'

export function makeSecret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

/** A secret is 32 random bytes: no list of likely secrets exists, so a slow hash would protect nothing. */
export function hashSecret(secret: string): string {
  return hashPrefix + digest(secret)
}

/** False for a hash that an earlier version stored: its client needs a new secret. */
export function isCurrentHash(stored: string): boolean {
  return stored.startsWith(hashPrefix)
}

/** Compares in constant time. `stored` must be a current hash. */
export function isSecret(secret: string, stored: string): boolean {
  const given = Buffer.from(hashSecret(secret))
  const expected = Buffer.from(stored)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** For random text: a plain digest hides it as well as a slow one. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
