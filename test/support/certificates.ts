import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A certificate and its private key, as PEM. */
export interface Certified {
  readonly cert: string
  readonly key: string
}

export interface Authority extends Certified {
  /** Issues a certificate, by default for localhost. */
  issue(name: string, options?: CertificateOptions): Certified
}

interface Validity {
  readonly from?: Date
  readonly to?: Date
}

interface CertificateOptions extends Validity {
  /** The host names that the certificate is valid for. */
  readonly names?: readonly string[] | undefined
}

const hourMs = 3_600_000

/** Encodes X.509 (RFC 5280) with P-256 keys: Node can read certificates but not create them. */
export function makeAuthority(name: string): Authority {
  const { privateKey, publicKey } = keyPair()
  const isAuthority = extension('2.5.29.19', sequence(tlv(0x01, Buffer.of(0xff))))
  return {
    cert: certificate(
      { issuer: name, subject: name, publicKey, extension: isAuthority },
      privateKey,
    ),
    key: pem(privateKey),
    issue(subject, { names: hosts, ...validity } = {}) {
      const pair = keyPair()
      const loopback = tlv(0x87, Buffer.of(127, 0, 0, 1))
      const names = [
        ...(hosts ? [] : [loopback]),
        ...(hosts ?? ['localhost']).map((host) => tlv(0x82, Buffer.from(host))),
      ]
      const fields = {
        issuer: name,
        subject,
        publicKey: pair.publicKey,
        extension: extension('2.5.29.17', sequence(...names)),
        ...validity,
      }
      return { cert: certificate(fields, privateKey), key: pem(pair.privateKey) }
    },
  }
}

interface CertificateFields extends Validity {
  readonly issuer: string
  readonly subject: string
  readonly publicKey: KeyObject
  readonly extension: Buffer
}

function certificate(fields: CertificateFields, issuerKey: KeyObject): string {
  const from = fields.from ?? new Date(Date.now() - hourMs)
  const to = fields.to ?? new Date(Date.now() + 24 * hourMs)
  const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'))
  const content = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ecdsaWithSha256,
    encodeName(fields.issuer),
    sequence(time(from), time(to)),
    encodeName(fields.subject),
    fields.publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(fields.extension)),
  )
  const signature = tlv(0x03, Buffer.of(0), sign('sha256', content, issuerKey))
  const text = sequence(content, ecdsaWithSha256, signature).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${text.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`
}

function keyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string
}

function tlv(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, ...parts)
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), tlv(0x04, value))
}

function encodeName(commonName: string): Buffer {
  return sequence(tlv(0x31, sequence(objectId('2.5.4.3'), tlv(0x0c, Buffer.from(commonName)))))
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return tlv(0x18, Buffer.from(digits))
}

function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = [first * 40 + second, ...rest].flatMap((number) => {
    const septets = [number & 0x7f]
    for (let left = number >> 7; left > 0; left >>= 7) septets.unshift(0x80 | (left & 0x7f))
    return septets
  })
  return tlv(0x06, Buffer.from(bytes))
}
