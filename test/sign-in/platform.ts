import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../src/server/settings/settings.ts'
import type { Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import type { Headers } from '../support/http.ts'
import { openIdentityProvider, type TestIdentityProvider } from '../support/identity-provider.ts'
import { openPlatform, type Platform } from '../support/platform.ts'
import { type BrowserAnswer, openTestBrowser, type TestBrowser } from '../support/test-browser.ts'

/** The public address of the platform, which only the test browser can reach. */
export const origin = 'https://platform.example'

export const callback = `${origin}/v1/session/callback`

export interface SignInPlatform extends Platform {
  readonly provider: TestIdentityProvider
  /** A browser that sends these headers with every request. */
  browse(headers?: Headers): TestBrowser
}

interface Options {
  readonly settings?: Partial<Settings>
  readonly database?: string
  readonly trustedProxies?: string
  readonly hasIdTokenClaims?: boolean
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post'
  /** Instead of a provider of its own. */
  readonly provider?: TestIdentityProvider
}

/** A platform at which people sign in at an OpenID provider. */
export async function openSignInPlatform(
  scope: Scope,
  { settings, database, trustedProxies, provider: shared, ...options }: Options = {},
): Promise<SignInPlatform> {
  const provider = shared ?? (await openIdentityProvider(scope, { platform: origin, ...options }))
  const secretFile = join(await temporaryFolder(scope), 'secret')
  writeFileSync(secretFile, `${provider.clientSecret}\n`)
  const platform = await openPlatform(scope, {
    // The identity provider has the time of the machine.
    now: Temporal.Now.instant().toString(),
    ...(database !== undefined && { database }),
    ...(trustedProxies !== undefined && { trustedProxies }),
    settings: {
      publicUrl: origin,
      consoleIssuer: provider.issuer,
      consoleClientId: provider.clientId,
      consoleClientSecretFile: secretFile,
      consoleClaim: 'groups',
      consoleScopes: 'products.write=pricing,head%2C office;operations.write=operators',
      ...settings,
    },
  })
  return {
    ...platform,
    provider,
    browse: (headers) => openTestBrowser(new Map([[origin, platform.port]]), headers),
  }
}

/** Begins a sign-in. Returns the response, which has the address of the identity provider. */
export function start(browser: TestBrowser, returnTo?: string): Promise<BrowserAnswer> {
  const body = returnTo === undefined ? {} : { return_to: returnTo }
  return browser.request(`${origin}/v1/session/sign-in`, { method: 'POST', body })
}

/** Signs in at the identity provider. Returns the address there that leads back, which is not opened. */
export async function authorize(browser: TestBrowser, returnTo?: string): Promise<string> {
  const started = await start(browser, returnTo)
  assert.equal(started.status, 201, started.text)
  const { url } = await browser.open(started.body.authorization_url, (next) =>
    next.startsWith(callback),
  )
  return url
}

/** Returns where the browser arrives in the console. */
export async function comeBack(browser: TestBrowser, url: string): Promise<string> {
  const answer = await browser.request(url)
  assert.equal(answer.status, 303, answer.text)
  return answer.headers['location'] ?? ''
}

export async function signIn(browser: TestBrowser, returnTo?: string): Promise<string> {
  return comeBack(browser, await authorize(browser, returnTo))
}

/** The session that the platform sees, if there is one. */
export async function readSession(browser: TestBrowser) {
  const { body } = await browser.request(`${origin}/v1/session`)
  return body.session
}
