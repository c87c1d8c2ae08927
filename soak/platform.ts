import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const subdomain = 'soak'
export const publicUrl = 'https://bank.example'

export interface Token {
  readonly text: string
  /** How often it was accepted. More than once is an accepted replay. */
  accepted: number
}

type Fields = Readonly<Record<string, unknown>>

/** A platform with a published key. Its tokens are valid unless claims or header fields are overridden. */
export interface Platform {
  readonly url: string
  mint(path: string, claims?: Fields, header?: Fields): Token
  /** Signed with a key that is not published. */
  forge(path: string): Token
  close(): void
}

const tokenSeconds = 3600

export async function openPlatform(): Promise<Platform> {
  const { privateKey, publicKey } = createKeyPair()
  const otherKey = createKeyPair().privateKey
  const keys = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'soak' }] })
  const server = createServer((_request, response) => response.end(keys))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}/`,
    mint: (path, claims = {}, header = {}) => signToken(path, claims, header, privateKey),
    forge: (path) => signToken(path, {}, {}, otherKey),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function signToken(path: string, claims: Fields, header: Fields, key: KeyObject): Token {
  const now = Math.floor(Date.now() / 1000)
  const payload = {
    iss: subdomain,
    sub: subdomain,
    aud: publicUrl + path,
    iat: now,
    exp: now + tokenSeconds,
    jti: randomUUID(),
    ...claims,
  }
  const text = `${encode({ alg: 'ES256', kid: 'soak', ...header })}.${encode(payload)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return { text: `${text}.${signature.toString('base64url')}`, accepted: 0 }
}

function encode(value: Fields): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function createKeyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}
