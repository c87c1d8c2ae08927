import type { Telemetry } from '../../src/server/telemetry.ts'
import { type Credentials, readCredentials } from './call-platform.ts'
import { createScope, type Scope } from './engines.ts'
import { type KeyServer, openKeyServer } from './key-server.ts'
import type { LocalServer, ServerRole } from './local-server.ts'
import {
  type Finished,
  type Flags,
  type ProcessOptions,
  runInProcess,
  type Server,
  startServer,
} from './process.ts'
import { createSmallBank } from './small-bank.ts'
import {
  type Members,
  makeKey,
  mintToken,
  publicUrl,
  subdomain,
  type TestKey,
  validClaims,
} from './tokens.ts'

export { type Credentials, readCredentials } from './call-platform.ts'

/** A database, a published key, and servers that use them. */
export interface Deployment {
  readonly database: string
  readonly key: TestKey
  readonly keyServer: KeyServer
  startProvider(flags?: Flags, options?: ProcessOptions): Promise<Server>
  startGuard(flags: Flags, options?: ProcessOptions): Promise<Server>
  startPlatform(flags?: Flags, options?: ProcessOptions): Promise<Server>
  startIntake(flags?: Flags, options?: ProcessOptions): Promise<Server>
  /** In this process, for what a process of its own does not change. */
  openProvider(flags?: Flags, tracing?: Telemetry['tracing']): Promise<LocalServer>
  openGuard(flags: Flags, tracing?: Telemetry['tracing']): Promise<LocalServer>
  openPlatform(flags?: Flags, tracing?: Telemetry['tracing']): Promise<LocalServer>
  openIntake(flags?: Flags, tracing?: Telemetry['tracing']): Promise<LocalServer>
  /** Signs a token that is valid now; the overrides can make it invalid. */
  mint(path: string, claims?: Members, header?: Members): string
  /** Sends a request with a new valid token. */
  ask(
    server: Pick<Server, 'address'>,
    path: string,
    headers?: Flags,
    body?: string,
  ): Promise<Response>
  /** Runs `holdfast client` on the database. */
  runClient(...args: readonly string[]): Promise<Finished>
  addClient(name?: string, ...scopes: readonly string[]): Promise<Credentials>
}

/** Uses the data of the small bank, or an existing database. */
export async function openDeployment(scope: Scope, existingDatabase?: string): Promise<Deployment> {
  // Processes end before the database that they use is deleted.
  const inner = createScope(scope)
  const database = existingDatabase ?? (await createSmallBank(inner))
  const key = makeKey('ES256', 'k1')
  const keyServer = await openKeyServer([key.jwk])
  inner.after(() => keyServer.close())
  const settings = { database, subdomain, 'jwks-url': keyServer.url, 'provider-url': publicUrl }
  const mint = (path: string, claims: Members = {}, header: Members = {}) =>
    mintToken(
      { ...validClaims(path, Date.now() / 1000), ...claims },
      { alg: key.alg, kid: key.kid, ...header },
      key,
    )
  const openLocal = async (role: ServerRole, flags: Flags, tracing?: Telemetry['tracing']) => {
    const { openLocalServer } = await import('./local-server.ts')
    return openLocalServer(inner, role, flags, tracing)
  }
  const runClient = (...args: readonly string[]) =>
    runInProcess(['client', ...args, '--database', database])

  return {
    database,
    key,
    keyServer,
    mint,
    startProvider: (flags, options) =>
      startServer(inner, ['serve', 'provider'], { ...settings, ...flags }, options),
    startGuard: (flags, options) =>
      startServer(inner, ['serve', 'guard'], { ...settings, ...flags }, options),
    startPlatform: (flags, options) =>
      startServer(inner, ['serve', 'platform'], { database, ...flags }, options),
    startIntake: (flags, options) =>
      startServer(inner, ['serve', 'intake'], { database, ...flags }, options),
    openProvider: (flags, tracing) => openLocal('provider', { ...settings, ...flags }, tracing),
    openGuard: (flags, tracing) => openLocal('guard', { ...settings, ...flags }, tracing),
    openPlatform: (flags, tracing) => openLocal('platform', { database, ...flags }, tracing),
    openIntake: (flags, tracing) => openLocal('intake', { database, ...flags }, tracing),
    ask(server, path, headers = {}, body) {
      const [resource = ''] = path.split('?')
      return fetch(server.address + path, {
        ...(body !== undefined && { method: 'POST', body }),
        headers: {
          authorization: `Bearer ${mint(resource)}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      })
    },
    runClient,
    async addClient(name = 'pricing team', ...scopes) {
      const granted = scopes.length > 0 ? scopes : ['products.write']
      return readCredentials(
        await runClient('add', name, ...granted.flatMap((each) => ['--scope', each])),
      )
    },
  }
}
