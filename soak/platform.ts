import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const subdomain = 'soak'
export const publicUrl = 'https://bank.example'

export interface Token {
  readonly text: string
  /** How often it passed. More than once is an accepted replay. */
  passed: number
}

type Members = Readonly<Record<string, unknown>>

/** What a platform has: a key, the place where it publishes it, and tokens that are good unless they are spoilt. */
export interface Platform {
  readonly url: string
  mint(path: string, claims?: Members, header?: Members): Token
  /** Signed with a key that nobody published. */
  forge(path: string): Token
  close(): void
}

const tokenSeconds = 3600

export async function openPlatform(): Promise<Platform> {
  const { privateKey, publicKey } = keyPair()
  const stranger = keyPair().privateKey
  const keys = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'soak' }] })
  const server = createServer((_request, response) => response.end(keys))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}/`,
    mint: (path, claims = {}, header = {}) => signed(path, claims, header, privateKey),
    forge: (path) => signed(path, {}, {}, stranger),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function signed(path: string, claims: Members, header: Members, key: KeyObject): Token {
  const now = Math.floor(Date.now() / 1000)
  const all = {
    iss: subdomain,
    sub: subdomain,
    aud: publicUrl + path,
    iat: now,
    exp: now + tokenSeconds,
    jti: randomUUID(),
    ...claims,
  }
  const text = `${encoded({ alg: 'ES256', kid: 'soak', ...header })}.${encoded(all)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return { text: `${text}.${signature.toString('base64url')}`, passed: 0 }
}

function encoded(value: Members): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function keyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}
