import { constants, createPrivateKey, randomUUID, type SignKeyObjectInput, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { SigningKey } from '../src/auth/signing-key-store.ts'

export const algorithms = ['ES256', 'PS256'] as const
export type Algorithm = (typeof algorithms)[number]

export type BenchKeys = Readonly<Record<Algorithm, Pick<SigningKey, 'id' | 'privateKey'>>>

/** Longer than any run, and shorter than the maximum token lifetime of 24 hours. */
const tokenSeconds = 20 * 3600

const signAsync = promisify<string, Buffer, SignKeyObjectInput, Buffer>(sign)

/** Signs asynchronously, on all cores: a run needs thousands of tokens in advance. */
export function createTokenSigner(keys: BenchKeys, subdomain: string) {
  const inputs: Record<Algorithm, SignKeyObjectInput> = {
    ES256: { key: importPrivateKey(keys.ES256), dsaEncoding: 'ieee-p1363' },
    PS256: {
      key: importPrivateKey(keys.PS256),
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
    const text = `${encode(header)}.${encode(claims)}`
    const signature = await signAsync('sha256', Buffer.from(text), inputs[algorithm])
    return `${text}.${signature.toString('base64url')}`
  }
}

function importPrivateKey({ privateKey }: BenchKeys[Algorithm]) {
  return createPrivateKey({ key: { ...privateKey }, format: 'jwk' })
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
