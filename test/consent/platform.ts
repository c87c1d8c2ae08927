import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { openAccess } from '../../src/auth/access.ts'
import { makeSigningKey } from '../../src/auth/signing.ts'
import { type Consent, openConsent } from '../../src/consent/consent.ts'
import type { PasscodeMessage } from '../../src/consent/passcodes.ts'
import type { ConsentStore, ThirdParty } from '../../src/consent/store.ts'
import { createAssets, createConsentMount } from '../../src/http/consent-app.ts'
import { openPlatformApp } from '../../src/http/platform-app.ts'
import {
  openCatalogueStore,
  openClientStore,
  openConsentStore,
  openSigningKeyStore,
} from '../../src/storage/open.ts'
import { createScope, newDatabase, type Scope } from '../support/engines.ts'
import { bankingAccount, customer, energyAccount } from '../support/lines.ts'
import { openProvider, type Provider } from '../support/provider.ts'
import { type Browser, openBrowser } from './browser.ts'

export const issuer = 'https://platform.example'
export const redirectUri = 'https://budget.example/callback'
export const email = 'ana@example.com'

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
  bankingAccount('a1', { c1: true }, { displayName: 'Everyday', productName: 'Savings' }),
  bankingAccount('a2', { c1: true }, { displayName: 'Holiday', productName: 'Savings' }),
  bankingAccount('a3', { c2: true }, { displayName: 'Of Ben', productName: 'Savings' }),
  energyAccount('e1', ['c1'], { displayName: 'Home power' }),
]

export interface ConsentPlatform {
  readonly database: string
  readonly store: ConsentStore
  readonly consent: Consent
  readonly provider: Provider
  readonly port: number
  /** Every passcode that was sent. */
  readonly passcodes: PasscodeMessage[]
  /** Every line that was logged. */
  readonly log: readonly string[]
  /** Advances the clock. */
  pass(seconds: number): void
  browse(): Browser
  /** Opens another process on the same database. */
  openAnother(): Promise<number>
  addThirdParty(thirdParty: ThirdParty): Promise<void>
}

/** A platform with the consent role and its provider, in this process. They are closed with the scope. */
export async function openConsentPlatform(scope: Scope): Promise<ConsentPlatform> {
  const inner = createScope(scope)
  const database = await newDatabase(inner)
  const provider = await openProvider(inner, consentLines, { database })
  const signingKeys = await openSigningKeyStore(database)
  const clients = await openClientStore(database)
  const catalogue = await openCatalogueStore(database)
  await signingKeys.add(await makeSigningKey('ES256', Temporal.Now.instant()))
  const passcodes: PasscodeMessage[] = []
  const log: string[] = []
  let offsetSeconds = 0
  const clock = () => Temporal.Now.instant().add({ seconds: offsetSeconds })

  const open = async () => {
    const store = await openConsentStore(database)
    const { stylesheet } = createAssets('', '#0b5fff')
    const writer = pino(
      { level: 'trace', base: null },
      { write: (line: string) => void log.push(line) },
    )
    const consent = await openConsent({
      issuer,
      providerUrl: provider.address,
      subdomain: 'bank',
      store,
      signingKeys,
      clock,
      binding: 'dpop',
      requiresAuthority: false,
      brand: { name: 'Demo Bank', stylesheet: stylesheet.path, timeZone: 'UTC' },
      deliverPasscode: (message) => void passcodes.push(message),
      onError: (error) => writer.error({ err: error }, 'consent failed'),
    })
    const app = openPlatformApp({
      version: '0.0.0',
      catalogue,
      access: openAccess(clients, clock),
      signingKeys,
      clock,
      log: writer,
      consent: createConsentMount(consent, { assets: [stylesheet], trustedProxies: undefined }),
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    inner.after(async () => {
      await app.close()
      await store.close()
    })
    return { store, consent, port: (app.server.address() as AddressInfo).port }
  }
  inner.after(async () => {
    await signingKeys.close()
    await clients.close()
    await catalogue.close()
  })
  const first = await open()
  return {
    ...first,
    database,
    provider,
    passcodes,
    log,
    pass(seconds) {
      offsetSeconds += seconds
    },
    browse: () => openBrowser(issuer, first.port),
    openAnother: async () => (await open()).port,
    addThirdParty: (thirdParty) => first.store.thirdParties.add(thirdParty),
  }
}

export interface Choices {
  readonly email?: string
  readonly accounts?: readonly string[]
}

/** Walks through the pages as a customer who agrees. Returns the URL at the third party. */
export async function agree(
  browser: Browser,
  { passcodes }: Pick<ConsentPlatform, 'passcodes'>,
  { email: address = email, accounts = ['a1'] }: Choices = {},
): Promise<URL> {
  await browser.submit('identify', { email: address })
  assert.match(browser.page.text, /Enter your one-time code/, browser.page.text)
  const { passcode = '' } = passcodes.at(-1) ?? {}
  await browser.submit('passcode', { passcode })
  if (accounts.length > 0) {
    assert.match(browser.page.text, /Choose the accounts/, browser.page.text)
    await browser.submit('accounts', { account: accounts })
  }
  assert.match(browser.page.text, /Share your data with/, browser.page.text)
  const target = await browser.submit('confirm')
  assert.ok(target, browser.page.text)
  return target
}
