import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { openAccess } from '../../src/auth/access.ts'
import { openBrowserSessions } from '../../src/auth/browser-sessions.ts'
import { hashSecret, makeSecret } from '../../src/auth/secrets.ts'
import { type Scope as AccessScope, ContractError } from '../../src/contract/index.ts'
import { readTrustedProxies } from '../../src/http/caller-address.ts'
import type { HttpLimits } from '../../src/http/limits.ts'
import { nodeHttp } from '../../src/http/node-http.ts'
import { openPlatformApp, type PlatformAppOptions } from '../../src/http/platform-app.ts'
import type { CatalogueStore } from '../../src/platform/catalogue/store.ts'
import { type CheckRunsOptions, openCheckRuns } from '../../src/platform/check-runs/check-runs.ts'
import type { Explorer } from '../../src/platform/explorer/explorer.ts'
import { createMonitoring } from '../../src/server/open-monitoring.ts'
import { createReports } from '../../src/server/open-reports.ts'
import { digestRules, openPlatformSignIn } from '../../src/server/open-sign-in.ts'
import { openOutages } from '../../src/server/outages.ts'
import { openStatusReader } from '../../src/server/read-status.ts'
import type { Settings } from '../../src/server/settings/settings.ts'
import {
  openCatalogueStore,
  openCheckRunStore,
  openClientStore,
  openConsentStore,
  openSigningKeyStore,
  openUsageStore,
} from '../../src/storage/open.ts'
import { callPlatform, type PlatformCaller } from './call-platform.ts'
import { createScope, newDatabase, type Scope, shareOnEachEngine } from './engines.ts'
import type { Answer } from './http.ts'
import { dumpDatabase, loadInProcess } from './load.ts'

export {
  callPlatform,
  type PlatformCaller,
  productPath,
  productsPath,
  requestToken,
} from './call-platform.ts'

export interface Registered {
  readonly id: string
  readonly secret: string
  readonly name: string
  readonly scopes: readonly AccessScope[]
}

export interface Platform extends PlatformCaller {
  readonly database: string
  /** The store without the parts that the test replaces. */
  readonly catalogue: CatalogueStore
  readonly client: Registered
  /** Every line that was logged. */
  readonly log: readonly string[]
  /** Closes the platform before its scope ends. */
  close(): Promise<void>
  setClock(now: string): void
  /** Advances the monotonic clock of limits and retries, which otherwise does not advance. */
  pass(seconds: number): void
  register(scopes: readonly AccessScope[], name?: string): Promise<Registered>
  /** Issues a token without a request. */
  issueToken(client: Registered): Promise<string>
  /** Removes the client, as `holdfast client remove`. */
  unregister(client: Registered): Promise<boolean>
  /** Loads more lines while the server runs. */
  load(lines: readonly object[]): Promise<void>
  dump(): Promise<string>
}

export interface PlatformOptions {
  readonly now?: string
  readonly limits?: Partial<HttpLimits>
  readonly trustedProxies?: string
  /** An existing database instead of a new one. */
  readonly database?: string
  /** The provider to check. */
  readonly checks?: Partial<CheckRunsOptions>
  /** Replaces the metrics and what is shown of them, which are off by default. */
  readonly metrics?: PlatformAppOptions['metrics']
  readonly monitoring?: PlatformAppOptions['monitoring']
  readonly monitoringLimits?: PlatformAppOptions['monitoringLimits']
  /** The public URL, the planned outages, and settings that the status depends on. */
  readonly settings?: Partial<Settings>
  /** The client of a session without credentials. */
  readonly demoClientId?: string
  readonly exampleEmails?: readonly string[]
  /** Replaces parts of the store. */
  readonly around?: (store: CatalogueStore) => CatalogueStore
  readonly explorer?: Explorer
}

/** A fixed time, so that no test depends on when it runs. */
const nowDefault = '2026-07-01T00:00:00Z'

/** Starts a platform on a socket, with an API client that may write. It is closed with the scope. */
export async function openPlatform(scope: Scope, options: PlatformOptions = {}): Promise<Platform> {
  const inner = createScope(scope)
  const database = options.database ?? (await newDatabase(inner))
  let now = Temporal.Instant.from(options.now ?? nowDefault)
  const clock = () => now
  const log: string[] = []
  const catalogue = await openCatalogueStore(database)
  const clients = await openClientStore(database)
  const signingKeys = await openSigningKeyStore(database)
  const consents = await openConsentStore(database)
  let seconds = 0
  const access = openAccess(clients, clock, { seconds: () => seconds })
  const sessions = openBrowserSessions(clients.sessions, {
    clock,
    rules: digestRules(options.settings ?? {}),
    onError: (error) => assert.fail(error),
  })
  const signIn = await openPlatformSignIn(
    options.settings ?? {},
    sessions,
    consents,
    clock,
    () => seconds,
  )
  const checks = openCheckRuns({
    ...createCheckOptions(database, signingKeys, clock),
    ...options.checks,
  })
  const status = openStatusReader({ database, ...options.settings }, [], clock)
  /** Opens the store only for a report, which most tests do not read. */
  const readReport = async (period: string) => {
    const usage = await openUsageStore(database)
    try {
      return await createReports({}, { store: usage }, consents, clock).read(period)
    } finally {
      await usage.close()
    }
  }
  const app = openPlatformApp({
    version: '0.0.0',
    catalogue: options.around?.(catalogue) ?? catalogue,
    access,
    sessions,
    signIn,
    signingKeys,
    consents,
    checks,
    clock,
    publicUrl: options.settings?.publicUrl,
    timeZone: options.settings?.timeZone,
    readStatus: status.read,
    readProvider: status.readProvider,
    listOutages: openOutages(options.settings?.outagesFile).list,
    readReport,
    readUsage: () => assert.fail('calls are not counted'),
    readConsoleFiles: async () => [],
    monitoring: options.monitoring ?? createMonitoring({}, { metrics: undefined }).open,
    monitoringLimits: options.monitoringLimits,
    metrics: options.metrics,
    log: pino({ level: 'trace', base: null }, { write: (line: string) => void log.push(line) }),
    trustedProxies: readTrustedProxies(options.trustedProxies ?? ''),
    ...(options.limits && { limits: options.limits }),
    explorer: options.explorer,
    demoClientId: options.demoClientId,
    exampleEmails: options.exampleEmails,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  inner.after(async () => {
    agent.destroy()
    await app.close()
    await status.close()
    await checks.close()
    await sessions.close()
    await consents.close()
    await signingKeys.close()
    await clients.close()
    await catalogue.close()
  })
  const { port } = app.server.address() as AddressInfo
  const agent = new nodeHttp.Agent({ keepAlive: true })

  const register: Platform['register'] = async (scopes, name = 'pricing team') => {
    const id = randomUUID()
    const secret = makeSecret()
    await clients.add({ id, name, scopes, created: clock() }, hashSecret(secret))
    return { id, secret, name, scopes }
  }
  const client = await register(['products.write'])
  const issueToken: Platform['issueToken'] = (owner) =>
    access.issue({ ...owner, secretHash: hashSecret(owner.secret) }, owner.scopes)
  return {
    ...callPlatform(port, await issueToken(client), agent),
    database,
    catalogue,
    client,
    log,
    close: () => app.close(),
    setClock(time) {
      now = Temporal.Instant.from(time)
    },
    pass(time) {
      seconds += time
    },
    register,
    issueToken,
    unregister: ({ id }) => clients.remove(id),
    load: (lines) => loadInProcess(database, lines),
    dump: () => dumpDatabase(database),
  }
}

/** Checks of a platform without a provider. */
export function createCheckOptions(
  database: string,
  signingKeys: CheckRunsOptions['signingKeys'],
  clock: () => Temporal.Instant,
): CheckRunsOptions {
  return {
    openStore: () => openCheckRunStore(database),
    signingKeys,
    clock,
    findTarget: () => {
      throw new ContractError('not_configured', 'HOLDFAST_PROVIDER_URL is not set')
    },
    onError: (error) => assert.fail(String(error)),
  }
}

/** Shares one platform between all tests of a file. They must not affect each other. */
export function sharedPlatform(options: PlatformOptions = {}): () => Promise<Platform> {
  return shareOnEachEngine((scope) => openPlatform(scope, options))
}

/** The separate errors of a 400 response. */
export function readErrors(answer: Answer): string[] {
  assert.equal(answer.status, 400, answer.text)
  assert.deepEqual(Object.keys(answer.body), ['error'])
  return answer.body.error.split('; ')
}
