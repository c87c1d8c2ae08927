import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** About a twentieth of a second and 32 MiB a guess. */
const cost = { N: 2 ** 15, r: 8, p: 1 }
const memoryMax = 64 * 1024 * 1024
const saltBytes = 16
const hashBytes = 32
const secretBytes = 32

export function makeSecret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

/** With everything that checking it takes, so that the cost can be raised later. */
export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const hash = await derive(secret, salt, hashBytes, { ...cost, maxmem: memoryMax })
  const { N, r, p } = cost
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

export async function isSecret(secret: string, hashed: string): Promise<boolean> {
  const [, N = '', r = '', p = '', salt = '', hash = ''] = hashed.split('$')
  const expected = Buffer.from(hash, 'base64url')
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: memoryMax }
  const given = await derive(secret, Buffer.from(salt, 'base64url'), expected.length, options)
  return timingSafeEqual(given, expected)
}

/** For what is random already, a plain digest hides it as well as a slow one. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
