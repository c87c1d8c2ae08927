import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Scope } from '../../src/contract/index.ts'
import { type Demo, openDemo } from '../demo/demo-browser.ts'
import { type Credentials, readCredentials } from '../support/deployment.ts'
import type { Scope as TestScope } from '../support/engines.ts'
import { callPlatform, type PlatformCaller, requestToken } from '../support/platform.ts'
import { type Flags, runHoldfast } from '../support/process.ts'

export { check, focusOn } from '../demo/demo-browser.ts'

export interface Console extends Demo {
  /** Opens a page of the console, such as /console/catalogue, signed in with one button, in a browser context of its own. */
  visit(path: string): Promise<Page>
  /** Opens a page of the console, signed in with the credentials of a new API client with these scopes, in the demo or on another platform. */
  visitAs(
    scopes: readonly Scope[],
    path: string,
    other?: Pick<Demo, 'platform' | 'database'>,
  ): Promise<Page>
}

/** What a page reported that it should not: errors on its console, and dialogs or scripts that hostile text started. */
const reports = new WeakMap<Page, string[]>()

export async function openConsole(
  scope: TestScope,
  prepare?: (database: string) => Promise<void>,
  flags?: Flags,
): Promise<Console> {
  const demo = await openDemo(scope, prepare, flags)
  const openPage = async (path: string, platform = demo.platform) => {
    const page = await demo.open()
    watch(page)
    await page.goto(platform + path)
    return page
  }
  return {
    ...demo,
    async visit(path) {
      const page = await openPage(path)
      await page.getByRole('button', { name: 'Sign in to the demo' }).click()
      await page.getByRole('button', { name: 'Sign out' }).waitFor()
      return page
    },
    async visitAs(scopes, path, other) {
      const { id, secret } = await addClient((other ?? demo).database, 'visitor', scopes)
      const page = await openPage(path, other?.platform)
      if (!other) await page.getByText('Sign in as an API client').click()
      await page.getByLabel('Client ID').fill(id)
      await page.getByLabel('Secret').fill(secret)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('button', { name: 'Sign out' }).waitFor()
      return page
    },
  }
}

async function addClient(
  database: string,
  name: string,
  scopes: readonly Scope[],
): Promise<Credentials> {
  const flags = ['--scope', scopes.join(','), '--database', database]
  return readCredentials(await runHoldfast(['client', 'add', name, ...flags]))
}

/** A new API client of the platform, without a browser. */
export async function openClient(
  { database, platform }: Demo,
  name = 'pricing team',
  scope: Scope = 'products.write',
): Promise<PlatformCaller> {
  const port = Number(new URL(platform).port)
  return callPlatform(port, await requestToken(port, await addClient(database, name, [scope])))
}

function watch(page: Page): void {
  const found: string[] = []
  reports.set(page, found)
  page.on('console', (message) => {
    // The browser itself reports responses with an error status, which pages handle.
    const isStatus = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isStatus) found.push(message.text())
  })
  page.on('pageerror', (error) => found.push(String(error)))
  page.on('dialog', (dialog) => {
    if (dialog.type() === 'alert') found.push(`alert: ${dialog.message()}`)
    const isLeaving = dialog.type() === 'beforeunload'
    const answered = isLeaving ? dialog.accept() : dialog.dismiss()
    answered.catch(() => {})
  })
}

/** Fails if the page reported an error, violated its content security policy or opened an alert. */
export function assertQuiet(page: Page): void {
  assert.deepEqual(reports.get(page) ?? assert.fail('not a page of the console'), [])
}

/** Strings that would run code if a page used them as HTML, as a URL or as part of a script. */
export const hostileStrings = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  "'-alert(1)-'",
  'javascript:alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
  '</textarea><svg onload=alert(1)>',
  '\u202eevil',
] as const
