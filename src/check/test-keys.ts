import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keyOf, newPrivateJwk, publicJwk } from './jws.ts'
import type { SigningKey } from './signing-key.ts'

/** What the tester signs with. */
export interface TestKeys {
  /** Where the public halves are read, if the tester publishes them itself. */
  readonly url?: string
  /** Those that the provider should trust. Which algorithm it takes is found out in this order. */
  readonly keys: readonly SigningKey[]
  /** A key that is published nowhere that the provider should look. */
  readonly stranger: SigningKey
  /** An address that has the stranger’s public half, for tokens that point there. */
  readonly strangerUrl?: string
  /** How often that address was asked. */
  readonly strangerAsked: () => number
  close(): Promise<void>
}

export interface PublishOptions {
  /** 0 for any that is free. */
  readonly port: number
  readonly host?: string
}

const keySetPath = '/.well-known/jwks.json'
const strangerPath = '/stranger.json'

/** Fresh keys of every usual kind, published at an address of this machine that the provider is pointed at. */
export async function publishKeys({ port, host = '127.0.0.1' }: PublishOptions): Promise<TestKeys> {
  const name = randomUUID().slice(0, 8)
  const [first, second, rsa, edwards, strange] = await Promise.all(
    ['ES256', 'ES256', 'PS256', 'EdDSA', 'ES256'].map(newPrivateJwk),
  )
  if (!first || !second || !rsa || !edwards || !strange) throw new Error('a key could not be made')
  const keys: SigningKey[] = [
    { kid: `${name}-es256`, alg: 'ES256', jwk: first },
    { kid: `${name}-ps256`, alg: 'PS256', jwk: rsa },
    { kid: `${name}-rs256`, alg: 'RS256', jwk: rsa },
    { kid: `${name}-eddsa`, alg: 'EdDSA', jwk: edwards },
    { kid: `${name}-es256-second`, alg: 'ES256', jwk: second },
  ]
  const stranger = { kid: `${name}-stranger`, alg: 'ES256', jwk: strange }

  let strangerAsked = 0
  const published = JSON.stringify({ keys: keys.map(publicJwk) })
  const unpublished = JSON.stringify({ keys: [publicJwk(stranger)] })
  const server = createServer((request, response) => {
    const isStranger = request.url === strangerPath
    if (isStranger) strangerAsked += 1
    if (!isStranger && request.url !== keySetPath) response.statusCode = 404
    response.setHeader('content-type', 'application/json')
    response.end(isStranger ? unpublished : published)
  })
  server.listen(port, host)
  await once(server, 'listening')
  const { port: actual } = server.address() as AddressInfo
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${actual}`
  return {
    url: address + keySetPath,
    keys,
    stranger,
    strangerUrl: address + strangerPath,
    strangerAsked: () => strangerAsked,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** A key that the provider trusts already, as a private JWK with `kid` and `alg`. */
export async function trustedKey(jwk: unknown): Promise<TestKeys> {
  const key = keyOf(jwk)
  const stranger = { ...key, kid: randomUUID(), jwk: await newPrivateJwk(key.alg) }
  return { keys: [key], stranger, strangerAsked: () => 0, close: async () => {} }
}
