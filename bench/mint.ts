import { constants, createPrivateKey, randomUUID, type SignKeyObjectInput, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { SigningKey } from '../src/auth/signing-key-store.ts'

/** What the benchmarks sign with: the shortest key, and RSA as most platforms have it. */
export const algorithms = ['ES256', 'PS256'] as const
export type Algorithm = (typeof algorithms)[number]

export type BenchKeys = Readonly<Record<Algorithm, Pick<SigningKey, 'id' | 'privateKey'>>>

/** Longer than any run, shorter than the 24 hours that a token may live. */
const tokenSeconds = 20 * 3600

const signAsync = promisify<string, Buffer, SignKeyObjectInput, Buffer>(sign)

/** Makes tokens on all cores at once: thousands of them are needed before anything is measured. */
export function openMint(keys: BenchKeys, subdomain: string) {
  const inputs: Record<Algorithm, SignKeyObjectInput> = {
    ES256: { key: privateKeyOf(keys.ES256), dsaEncoding: 'ieee-p1363' },
    PS256: {
      key: privateKeyOf(keys.PS256),
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: 32,
    },
  }
  const now = Math.floor(Date.now() / 1000)

  return async (algorithm: Algorithm, audience: string): Promise<string> => {
    const header = { alg: algorithm, kid: keys[algorithm].id, typ: 'JWT' }
    const claims = {
      iss: subdomain,
      sub: subdomain,
      aud: audience,
      iat: now,
      exp: now + tokenSeconds,
      jti: randomUUID(),
    }
    const text = `${encoded(header)}.${encoded(claims)}`
    const signature = await signAsync('sha256', Buffer.from(text), inputs[algorithm])
    return `${text}.${signature.toString('base64url')}`
  }
}

function privateKeyOf({ privateKey }: BenchKeys[Algorithm]) {
  return createPrivateKey({ key: { ...privateKey }, format: 'jwk' })
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
