import { constants, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'

export const publicUrl = 'https://bank.example'
export const resourceUrl = 'https://contact.bank.example/base'
export const subdomain = 'bank'

/** A key pair of the test platform, and its public JWK. */
export interface TestKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  /** With `kid`, without `alg`, `use` or `key_ops`. */
  readonly jwk: Members
}

export type Members = Readonly<Record<string, unknown>>

/** Creates a key for an algorithm. All RSA keys for the same algorithm have the same key pair. */
export function makeKey(alg: string, kid: string): TestKey {
  const { privateKey, publicKey } = generatePair(alg)
  return testKey(alg, kid, privateKey, publicKey)
}

/** For keys that are too short or have an exponent that is too small. */
export function makeRsaKey(kid: string, modulusLength: number, publicExponent = 65_537): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength, publicExponent })
  return testKey('PS256', kid, privateKey, publicKey)
}

/** A public key of any size, which has no private key: generating a large one takes long. */
export function publicRsa(modulusBits: number, exponentBits = 17) {
  const [n, e] = [modulusBits, exponentBits].map((bits) => {
    const number = 2n ** BigInt(bits - 1) + 1n
    return Buffer.from(number.toString(16).padStart(Math.ceil(bits / 8) * 2, '0'), 'hex')
  })
  return { kty: 'RSA', n: n?.toString('base64url'), e: e?.toString('base64url'), alg: 'PS256' }
}

/** The claims of a valid token for a path. `now` is in seconds since 1970. */
export function validClaims(path: string, now: number): Members {
  return {
    iss: subdomain,
    sub: subdomain,
    aud: publicUrl + path,
    iat: Math.floor(now),
    exp: Math.floor(now) + 300,
    jti: randomUUID(),
  }
}

/** Signs a token with this header and payload; undefined members are omitted. */
export function mintToken(claims: Members, header: Members, key: TestKey): string {
  return signTexts(JSON.stringify(header), JSON.stringify(claims), key, key.alg)
}

/** Signs a token with exactly these two texts. */
export function signTexts(header: string, payload: string, key: TestKey, alg = key.alg): string {
  return signSegments(base64url(header), base64url(payload), key, alg)
}

/** Signs a token with exactly these two segments, even if they are invalid. */
export function signSegments(head: string, body: string, key: TestKey, alg = key.alg): string {
  return `${head}.${body}.${base64url(signature(`${head}.${body}`, key.privateKey, alg))}`
}

export function base64url(content: string | Uint8Array): string {
  return Buffer.from(content).toString('base64url')
}

export function splitToken(token: string): [string, string, string] {
  const [head = '', body = '', tail = ''] = token.split('.')
  return [head, body, tail]
}

/** Decodes the header or payload of a token. */
export function decodeSegment(token: string, segment: 0 | 1): string {
  return Buffer.from(splitToken(token)[segment], 'base64url').toString()
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Sets an unused bit of a segment, which a lenient decoder ignores. Undefined if the segment has no unused bit. */
export function withSpareBit(segment: string): string | undefined {
  const spare = { 0: 0, 2: 4, 3: 2 }[segment.length % 4]
  const last = alphabet.indexOf(segment.at(-1) ?? '')
  return spare ? segment.slice(0, -1) + alphabet[last | 1] : undefined
}

export function signature(text: string, key: KeyObject, alg: string): Buffer {
  const data = Buffer.from(text, 'latin1')
  switch (alg) {
    case 'ES256':
      return sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' })
    case 'ES384':
      return sign('sha384', data, { key, dsaEncoding: 'ieee-p1363' })
    case 'EdDSA':
      return sign(null, data, key)
    case 'PS256':
      return sign('sha256', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 })
    case 'PS384':
      return sign('sha384', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 48 })
    case 'RS256':
      return sign('sha256', data, { key, padding: constants.RSA_PKCS1_PADDING })
    case 'RS512':
      return sign('sha512', data, { key, padding: constants.RSA_PKCS1_PADDING })
    default:
      throw new Error(`unknown algorithm: ${alg}`)
  }
}

type KeyPair = Pick<TestKey, 'privateKey' | 'publicKey'>

const rsaPairs = new Map<string, KeyPair>()

/** Generating an RSA key takes longer than most tests. */
function generatePair(alg: string): KeyPair {
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519')
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (alg === 'ES384') return generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const pair = rsaPairs.get(alg) ?? generateKeyPairSync('rsa', { modulusLength: 2048 })
  rsaPairs.set(alg, pair)
  return pair
}

function testKey(alg: string, kid: string, privateKey: KeyObject, publicKey: KeyObject): TestKey {
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid }
  return { kid, alg, privateKey, publicKey, jwk }
}

export function decodeClaims(token: string): Members {
  return JSON.parse(decodeSegment(token, 1)) as Members
}
