import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generatePrivateJwk, parseKey, toPublicJwk } from './jws.ts'
import type { SigningKey } from './signing-key.ts'

/** The keys that the tester signs with. */
export interface TestKeys {
  /** The JWKS URL, if the tester publishes the public keys itself. */
  readonly url?: string
  /** The number of requests to that URL. */
  readonly fetches: () => number
  /** The keys that the provider should trust, in the order in which their algorithms are tried. */
  readonly keys: readonly SigningKey[]
  /** A key that the provider must not trust. */
  readonly untrusted: SigningKey
  /** The URL of its public key, for tokens that refer to it. */
  readonly untrustedUrl?: string
  /** The number of requests to that URL. */
  readonly untrustedFetches: () => number
  close(): Promise<void>
}

export interface PublishOptions {
  /** 0 for any free port. */
  readonly port: number
  readonly host?: string
}

const keySetPath = '/.well-known/jwks.json'
const untrustedPath = '/untrusted.json'

/** Generates keys of all common kinds, and publishes them at a URL of this machine. */
export async function publishKeys({ port, host = '127.0.0.1' }: PublishOptions): Promise<TestKeys> {
  const name = randomUUID().slice(0, 8)
  const [first, second, rsa, edwards, other] = await Promise.all([
    generatePrivateJwk('ES256'),
    generatePrivateJwk('ES256'),
    generatePrivateJwk('PS256'),
    generatePrivateJwk('EdDSA'),
    generatePrivateJwk('ES256'),
  ])
  const keys: SigningKey[] = [
    { kid: `${name}-es256`, alg: 'ES256', jwk: first },
    { kid: `${name}-ps256`, alg: 'PS256', jwk: rsa },
    { kid: `${name}-rs256`, alg: 'RS256', jwk: rsa },
    { kid: `${name}-eddsa`, alg: 'EdDSA', jwk: edwards },
    { kid: `${name}-es256-second`, alg: 'ES256', jwk: second },
  ]
  const untrusted = { kid: `${name}-untrusted`, alg: 'ES256', jwk: other }

  let fetches = 0
  let untrustedFetches = 0
  const published = JSON.stringify({ keys: keys.map(toPublicJwk) })
  const unpublished = JSON.stringify({ keys: [toPublicJwk(untrusted)] })
  const server = createServer((request, response) => {
    const isUntrusted = request.url === untrustedPath
    if (isUntrusted) untrustedFetches += 1
    else if (request.url === keySetPath) fetches += 1
    else response.statusCode = 404
    response.setHeader('content-type', 'application/json')
    response.end(isUntrusted ? unpublished : published)
  })
  server.listen(port, host)
  await once(server, 'listening')
  const { port: actual } = server.address() as AddressInfo
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${actual}`
  return {
    url: address + keySetPath,
    fetches: () => fetches,
    keys,
    untrusted,
    untrustedUrl: address + untrustedPath,
    untrustedFetches: () => untrustedFetches,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Uses a private JWK with `kid` and `alg` that the provider already trusts. */
export async function useTrustedKey(jwk: unknown): Promise<TestKeys> {
  const key = parseKey(jwk)
  const untrusted = { ...key, kid: randomUUID(), jwk: await generatePrivateJwk(key.alg) }
  const none = () => 0
  return { keys: [key], untrusted, fetches: none, untrustedFetches: none, close: async () => {} }
}
