import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { openAccess } from '../../src/auth/access.ts'
import { openBrowserSessions } from '../../src/auth/browser-sessions.ts'
import { makeSigningKey } from '../../src/auth/signing.ts'
import type { SigningKeyStore } from '../../src/auth/signing-key-store.ts'
import { ContractError } from '../../src/contract/index.ts'
import { openRecorder } from '../../src/disclosures/recorder.ts'
import { readTrustedProxies } from '../../src/http/caller-address.ts'
import { createAssets, createConsentMount } from '../../src/http/consent-app.ts'
import type { HttpLimits } from '../../src/http/limits.ts'
import { openPlatformApp } from '../../src/http/platform-app.ts'
import { openCheckRuns } from '../../src/platform/check-runs/check-runs.ts'
import { type Consent, openConsent } from '../../src/platform/consent/consent.ts'
import type { BudgetRates } from '../../src/platform/consent/passcode-budgets.ts'
import type { PasscodeMessage } from '../../src/platform/consent/passcodes.ts'
import type { ConsentStore, ThirdParty } from '../../src/platform/consent/store.ts'
import type { Metrics } from '../../src/server/observe/metrics.ts'
import { openAdminMount } from '../../src/server/open-admin.ts'
import { createHistory } from '../../src/server/open-history.ts'
import { createMonitoring } from '../../src/server/open-monitoring.ts'
import { createReports } from '../../src/server/open-reports.ts'
import { openUsage, type Usage } from '../../src/server/open-usage.ts'
import {
  openCatalogueStore,
  openClientStore,
  openConsentStore,
  openSigningKeyStore,
} from '../../src/storage/open.ts'
import { copyDatabase } from '../support/copy-database.ts'
import { createScope, currentEngine, type Engine, type Scope } from '../support/engines.ts'
import { bankingAccount, customer, energyAccount } from '../support/lines.ts'
import { patientLimits, patientMs } from '../support/patience.ts'
import { createCheckOptions } from '../support/platform.ts'
import { openProvider, type Provider, type ProviderOptions } from '../support/provider.ts'
import { issuer } from './addresses.ts'
import { type Browser, openBrowser } from './browser.ts'
import { openRestrictions, type Restrictions } from './restrictions.ts'

export { issuer, redirectUri } from './addresses.ts'
export const email = 'ana@example.com'

const savings = { productName: 'Savings', productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS' }

const customersMax = 300

/** One customer with accounts of both kinds, a couple with one address, and one without a phone. */
export const consentLines = [
  customer('c1', {
    name: 'Ana Silva',
    givenName: 'Ana',
    familyName: 'Silva',
    email,
    emailVerified: true,
    phoneNumber: '+61400000006',
  }),
  customer('c2', { name: 'Ben', email: 'couple@example.com', phoneNumber: '+61400000007' }),
  customer('c3', { name: 'Cara', email: 'couple@example.com', phoneNumber: '+61400000008' }),
  customer('c4', { name: 'Dan', email: 'dan@example.com' }),
  bankingAccount('a1', { c1: true }, { displayName: 'Everyday', ...savings }),
  bankingAccount('a2', { c1: true }, { displayName: 'Holiday', ...savings }),
  bankingAccount('a3', { c2: true }, { displayName: 'Of Ben', ...savings }),
  energyAccount('e1', ['c1'], {
    displayName: 'Home power',
    plans: [{ planDetail: { fuelType: 'ELECTRICITY' } }],
  }),
  // One for each flow, since passcodes are limited by customer.
  ...Array.from({ length: customersMax }, (_, index) => `n${index}`).flatMap((id) => [
    customer(id, {
      name: `Customer ${id}`,
      email: `${id}@example.com`,
      emailVerified: true,
      phoneNumber: '+61400000000',
    }),
    bankingAccount(`${id}-1`, { [id]: true }, { displayName: 'Everyday', ...savings }),
    bankingAccount(`${id}-2`, { [id]: true }, { displayName: 'Holiday', ...savings }),
  ]),
]

const createConsentBank = copyDatabase(consentLines)

export interface ConsentPlatform {
  readonly database: string
  readonly store: ConsentStore
  readonly consent: Consent
  readonly provider: Provider
  readonly restrictions: Restrictions
  /** The counts of calls, if they are counted. */
  readonly usage: Usage | undefined
  readonly port: number
  /** Every passcode that was sent. */
  readonly passcodes: PasscodeMessage[]
  /** Every line that was logged. */
  readonly log: readonly string[]
  /** Advances the clock. */
  pass(seconds: number): void
  /** Its time, in milliseconds since 1970. */
  now(): number
  setProviderAway(isAway: boolean): void
  browse(): Browser
  /** Opens another process on the same database. */
  openAnother(options?: ProcessOptions): Promise<number>
  readonly signingKeys: SigningKeyStore
  addThirdParty(thirdParty: ThirdParty): Promise<void>
}

/** What processes on one database may have differently. */
interface ProcessOptions {
  /** Whether the third party of the demo is accepted. */
  readonly isDemo?: boolean
  readonly limits?: Partial<HttpLimits>
}

export interface PlatformOptions extends Pick<ProcessOptions, 'isDemo'> {
  /** An existing database instead of a new one. */
  readonly database?: string
  readonly openStore?: (database: string) => Promise<ConsentStore>
  /** Changes the provider before it listens. */
  readonly prepare?: ProviderOptions['prepare'] | undefined
  /** Of the bank accounts that the provider serves. */
  readonly accountVersion?: ProviderOptions['accountVersion']
  /** Limits of third parties, by the clock of the test. */
  readonly thirdPartyLimits?: 'cds' | undefined
  readonly metrics?: Metrics | undefined
  /** The budgets of all customers. Without them, no test reaches them. */
  readonly budgets?: BudgetRates
  /** Whether calls are counted. */
  readonly isCounting?: boolean
  /** The keys of the register. */
  readonly registerKeys?: string
  /** In which calls are counted. */
  readonly timeZone?: string
}

/** A platform with the consent role and its provider, in this process. They are closed with the scope. */
export async function openConsentPlatform(
  scope: Scope,
  {
    database: existing,
    openStore = openConsentStore,
    prepare,
    accountVersion,
    isDemo: isFirstDemo = false,
    thirdPartyLimits,
    metrics,
    budgets = { passcodesPerMinute: 60_000, wrongPasscodesPerMinute: 60_000 },
    isCounting = false,
    registerKeys,
    timeZone = 'UTC',
  }: PlatformOptions = {},
): Promise<ConsentPlatform> {
  const inner = createScope(scope)
  const database = existing ?? (await createConsentBank(inner))
  let isProviderAway = false
  const provider = await openProvider(inner, existing === undefined ? [] : consentLines, {
    database,
    limits: patientLimits,
    accountVersion,
    ...(prepare && { prepare }),
    around: (store) =>
      new Proxy(store, {
        get(target, name, receiver) {
          if (isProviderAway)
            throw new ContractError('unavailable', 'the test stopped the provider')
          return Reflect.get(target, name, receiver)
        },
      }),
  })
  const signingKeys = await openSigningKeyStore(database)
  const clients = await openClientStore(database)
  const catalogue = await openCatalogueStore(database)
  await signingKeys.add(await makeSigningKey('ES256', Temporal.Now.instant()))
  const passcodes: PasscodeMessage[] = []
  const log: string[] = []
  let offsetSeconds = 0
  // By the clock that a test can mock, which the OpenID provider reads too.
  const clock = () => Temporal.Instant.fromEpochMilliseconds(Date.now() + offsetSeconds * 1000)

  const open = async ({ isDemo, limits }: ProcessOptions = {}) => {
    const store = await openStore(database)
    const { stylesheet, icon } = createAssets('', '#0b5fff')
    const writer = pino(
      { level: 'trace', base: null },
      { write: (line: string) => void log.push(line) },
    )
    const recorder = openRecorder({
      store: store.disclosureRecords,
      signingKeys,
      clock,
      onHead: () => {},
      onError: (error) => writer.error({ err: error }, 'records of disclosures failed'),
    })
    const consent = await openConsent({
      recordDisclosure: recorder.record,
      issuer,
      providerUrl: provider.address,
      subdomain: 'bank',
      store,
      signingKeys,
      clock,
      binding: 'dpop',
      requiresAuthority: false,
      brand: { name: 'Demo Bank', stylesheet: stylesheet.path, icon: icon.path, timeZone: 'UTC' },
      deliverPasscode: (message) => void passcodes.push(message),
      onError: (error) => writer.error({ err: error }, 'consent failed'),
      keysMs: 0,
      providerMs: patientMs,
      isDemo,
      thirdPartyLimits,
      seconds: () => offsetSeconds,
      metrics,
      ...budgets,
    })
    const usage = isCounting
      ? await openUsage({ database, timeZone }, { log: writer }, clock, {
          monotonicMs: () => clock().epochMilliseconds,
        })
      : undefined
    const admin =
      usage &&
      (await openAdminMount({ registerKeys, issuer }, { log: writer }, store, usage, clock))
    const history =
      usage && createHistory({ database, timeZone }, usage, { consents: store, signingKeys, clock })
    const reports =
      usage && createReports({ timeZone, brandName: 'Bank', recordYears: 6 }, usage, store, clock)
    const app = openPlatformApp({
      version: '0.0.0',
      catalogue,
      access: openAccess(clients, clock),
      sessions: openBrowserSessions(clients.sessions, { clock }),
      signingKeys,
      consents: store,
      checks: openCheckRuns(createCheckOptions(database, signingKeys, clock)),
      clock,
      monitoring: createMonitoring({}, { metrics: undefined }).open,
      metrics,
      usage: usage?.callCounts,
      admin,
      log: writer,
      readReport: reports?.read ?? (() => assert.fail('calls are not counted')),
      readUsage: (query) => history?.read(query) ?? assert.fail('calls are not counted'),
      readConsoleFiles: async () => [],
      readStatus: () => assert.fail('no test reads it'),
      readProvider: () => assert.fail('no test reads it'),
      limits: { ...patientLimits, ...limits },
      consent: createConsentMount(consent, {
        assets: [stylesheet, icon],
        trustedProxies: readTrustedProxies('127.0.0.1'),
      }),
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    inner.after(async () => {
      await app.close()
      admin?.close()
      await reports?.close()
      await history?.close()
      await usage?.close()
      await recorder.close()
      await store.close()
    })
    return { store, consent, usage, port: (app.server.address() as AddressInfo).port }
  }
  inner.after(async () => {
    await signingKeys.close()
    await clients.close()
    await catalogue.close()
  })
  const first = await open({ isDemo: isFirstDemo })
  return {
    ...first,
    database,
    provider,
    restrictions: openRestrictions(provider),
    signingKeys,
    passcodes,
    log,
    pass(seconds) {
      offsetSeconds += seconds
    },
    now: () => clock().epochMilliseconds,
    setProviderAway(isAway) {
      isProviderAway = isAway
    },
    browse: () => openBrowser(issuer, first.port),
    openAnother: async (options) => (await open(options)).port,
    addThirdParty: (thirdParty) => first.store.thirdParties.add(thirdParty),
  }
}

export interface TestCustomer {
  readonly id: string
  readonly email: string
  readonly accounts: readonly [string, string]
}

/** How many were used on each engine: engines never share a database. */
const customers = new Map<Engine, number>()

/** A customer with two accounts that no other test on the engine uses. */
export function nextCustomer(): TestCustomer {
  const used = customers.get(currentEngine()) ?? 0
  assert.ok(used < customersMax, 'no customer is left: raise customersMax')
  customers.set(currentEngine(), used + 1)
  const id = `n${used}`
  return { id, email: `${id}@example.com`, accounts: [`${id}-1`, `${id}-2`] }
}

/** Walks through the pages as a customer who agrees. Returns the URL at the third party. */
export async function agree(
  browser: Browser,
  platform: Pick<ConsentPlatform, 'passcodes'>,
  customer: TestCustomer = nextCustomer(),
): Promise<URL> {
  await identify(browser, platform, customer)
  await browser.submit('accounts', { account: customer.accounts[0] })
  assert.match(browser.page.text, /Share your data with/, browser.page.text)
  const target = await browser.submit('confirm')
  assert.ok(target, browser.page.text)
  return target
}

/** Walks to the page with the accounts. */
export async function identify(
  browser: Browser,
  { passcodes }: Pick<ConsentPlatform, 'passcodes'>,
  customer: TestCustomer = nextCustomer(),
): Promise<TestCustomer> {
  await browser.submit('identify', { email: customer.email })
  assert.match(browser.page.text, /Enter your one-time code/, browser.page.text)
  await browser.submit('passcode', { passcode: findPasscode(passcodes, customer.id) })
  assert.match(browser.page.text, /Choose the accounts/, browser.page.text)
  return customer
}

/** The passcode that was sent last to a customer. */
export function findPasscode(passcodes: readonly PasscodeMessage[], customerId: string): string {
  const sent = passcodes.findLast(({ name }) => name === `Customer ${customerId}`)
  return sent?.passcode ?? assert.fail('no passcode was sent')
}

/** Signs in to the page with the consents of a customer. */
export async function signInToConsents(
  platform: ConsentPlatform,
  customer: TestCustomer,
  browser = platform.browse(),
): Promise<Browser> {
  await browser.open(`${issuer}/consents`)
  await browser.submit('identify', { email: customer.email })
  assert.match(browser.page.text, /Enter your one-time code/)
  await browser.submit('passcode', { passcode: findPasscode(platform.passcodes, customer.id) })
  assert.match(browser.page.text, /Your data sharing at Demo Bank/)
  return browser
}
