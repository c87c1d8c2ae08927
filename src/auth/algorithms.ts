import { constants, type KeyObject, verify } from 'node:crypto'

interface Algorithm {
  /** Whether a key is of the kind, and strong enough. */
  readonly fits: (key: KeyObject) => boolean
  readonly verify: (data: Buffer, key: KeyObject, signature: Buffer) => boolean
}

const rsaBitsMin = 2048
const rsaExponentMin = 65_537n
const es256SignatureBytes = 64

/** Asymmetric ones only, each with the one kind of key that is its own. There is no `none` to forget. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  ES256: {
    fits: (key) =>
      key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1',
    verify: (data, key, signature) =>
      signature.length === es256SignatureBytes &&
      verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature),
  },
  EdDSA: {
    fits: (key) => key.asymmetricKeyType === 'ed25519',
    verify: (data, key, signature) => verify(null, data, key, signature),
  },
  PS256: {
    fits: isStrongRsa,
    verify: (data, key, signature) =>
      verify(
        'sha256',
        data,
        { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
        signature,
      ),
  },
  RS256: {
    fits: isStrongRsa,
    verify: (data, key, signature) =>
      verify('sha256', data, { key, padding: constants.RSA_PKCS1_PADDING }, signature),
  },
}

export function findAlgorithm(name: string): Algorithm | undefined {
  return Object.hasOwn(algorithms, name) ? algorithms[name] : undefined
}

/** What a key that says nothing of its own may be used with. */
export function listAlgorithms(key: KeyObject): string[] {
  return Object.keys(algorithms).filter((name) => algorithms[name]?.fits(key))
}

function isStrongRsa(key: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  return (
    key.asymmetricKeyType === 'rsa' &&
    modulusLength >= rsaBitsMin &&
    publicExponent >= rsaExponentMin
  )
}
