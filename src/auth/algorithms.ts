import { constants, type KeyObject, verify } from 'node:crypto'

interface Algorithm {
  /** Whether a key has the right type and an acceptable size. */
  readonly accepts: (key: KeyObject) => boolean
  readonly verify: (data: Buffer, key: KeyObject, signature: Buffer) => boolean
}

/** Larger keys make a verification slow, which blocks other requests. */
export const rsaBits = { min: 2048, max: 8192 } as const
const rsaExponent = { min: 65_537n, max: 2n ** 32n } as const
const es256SignatureBytes = 64

/** Asymmetric algorithms only, each tied to one key type. `none` is not supported. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  ES256: {
    accepts: (key) =>
      key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1',
    verify: (data, key, signature) =>
      signature.length === es256SignatureBytes &&
      verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature),
  },
  EdDSA: {
    accepts: (key) => key.asymmetricKeyType === 'ed25519',
    verify: (data, key, signature) => verify(null, data, key, signature),
  },
  PS256: {
    accepts: isAcceptableRsa,
    verify: (data, key, signature) =>
      verify(
        'sha256',
        data,
        { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
        signature,
      ),
  },
  RS256: {
    accepts: isAcceptableRsa,
    verify: (data, key, signature) =>
      verify('sha256', data, { key, padding: constants.RSA_PKCS1_PADDING }, signature),
  },
}

export function findAlgorithm(name: string): Algorithm | undefined {
  return Object.hasOwn(algorithms, name) ? algorithms[name] : undefined
}

/** The algorithms for a key without `alg`. */
export function listAlgorithms(key: KeyObject): string[] {
  return Object.keys(algorithms).filter((name) => algorithms[name]?.accepts(key))
}

function isAcceptableRsa(key: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  return (
    key.asymmetricKeyType === 'rsa' &&
    modulusLength >= rsaBits.min &&
    modulusLength <= rsaBits.max &&
    publicExponent >= rsaExponent.min &&
    publicExponent <= rsaExponent.max
  )
}
