import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openDeployment } from '../support/deployment.ts'
import { fileScope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findFreePort } from '../support/free-port.ts'
import { openIdentityProvider } from '../support/identity-provider.ts'
import { assertQuiet, check, focusOn, openConsole } from './console-browser.ts'
import { fillBasics, isSaved, newProduct, save } from './editor-steps.ts'

const console = await openConsole(fileScope)
const port = await findFreePort()
const origin = `http://127.0.0.1:${port}`
const provider = await openIdentityProvider(fileScope, { platform: origin })
const folder = await temporaryFolder(fileScope)
writeFileSync(join(folder, 'secret'), provider.clientSecret)
const deployment = await openDeployment(fileScope, console.database)
/** The flags of a platform with the identity provider. */
const createFlags = (port: number) => ({
  port: String(port),
  'public-url': `http://127.0.0.1:${port}`,
  'console-issuer': provider.issuer,
  'console-client-id': provider.clientId,
  'console-client-secret-file': join(folder, 'secret'),
  'console-scopes': 'products.write=pricing;operations.write=operators',
})
await deployment.openPlatform(createFlags(port))
const button = `Sign in at 127.0.0.1:${provider.port}`

/** Opens a page of the platform, and signs in at the identity provider. */
async function visit(path: string, groups: readonly string[]) {
  provider.person = { sub: 'ana', name: 'Ana Example', groups }
  const page = await console.open()
  await page.goto(origin + path)
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('button', { name: 'Sign out' }).first().waitFor()
  return page
}

describe('the console of a platform with an identity provider', () => {
  it('signs a person in with the keyboard, and leads back to the page', async () => {
    provider.person = { sub: 'ana', name: 'Ana Example', groups: ['pricing'] }
    const page = await console.open()
    await page.goto(`${origin}/console/catalogue?text=saver`)
    await page.getByRole('button', { name: button }).waitFor()
    await check(page, 'sign-in-people')
    await focusOn(page, button)
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'Catalogue' }).waitFor()
    assert.equal(page.url(), `${origin}/console/catalogue?text=saver`)
    await page.getByText('Signed in as Ana Example').waitFor()
    const cookies = await page.context().cookies(origin)
    // Those of the identity provider are on the same host.
    const ours = cookies.filter(({ name }) => name.includes('holdfast'))
    assert.deepEqual(
      ours.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]),
      [['holdfast_session', true, 'Strict']],
    )
    await page.context().close()
  })

  it('signs the person out, also at the identity provider', async () => {
    const page = await visit('/console/catalogue', ['pricing'])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${provider.issuer}/session/end*`)
    await page.getByRole('button', { name: /yes/i }).click()
    await page.getByRole('heading', { name: 'Sign in to' }).waitFor()
    await page.context().close()
  })

  it('says so if nothing at the identity provider gives access', async () => {
    const page = await visit('/console', ['others'])
    await page.getByRole('heading', { name: 'You have no access to this console' }).waitFor()
    await page.getByText('Ask an administrator of the identity provider.').waitFor()
    await check(page, 'no-access')
    const { issuer } = provider
    await page.locator('main').getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${issuer}/session/end*`)
    await page.context().close()
  })

  it('names the person in the history of a product', async () => {
    const page = await visit(newProduct, ['pricing'])
    await fillBasics(page, 'Of Ana')
    await save(page)
    await isSaved(page)
    await page.goto(`${origin}/console/catalogue`)
    const row = page.getByRole('row', { name: /Of Ana/ })
    await row.getByText('Ana Example').waitFor()
    const title = await row.getByText('Ana Example').getAttribute('title')
    assert.equal(title, `ana at ${provider.issuer}`)
    await page.context().close()
  })

  it('says why a sign-in failed, and signs in with the next attempt', async () => {
    provider.person = undefined
    const page = await console.open()
    await page.goto(`${origin}/console/catalogue`)
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('alert').getByText('The sign-in was cancelled').waitFor()
    await check(page, 'sign-in-cancelled')
    provider.person = { sub: 'ana', name: 'Ana Example', groups: ['pricing'] }
    await page.getByRole('button', { name: button }).click()
    await page.getByText('Signed in as Ana Example').waitFor()
    assert.equal(new URL(page.url()).search, '')

    const other = await console.open()
    await other.goto(`${origin}/console?sign-in=constructor`)
    await other.getByRole('button', { name: button }).waitFor()
    assert.equal(await other.getByRole('alert').count(), 0)
    await page.context().close()
    await other.context().close()
  })

  it('keeps what was entered while the person signs in again', async () => {
    const page = await visit(newProduct, ['pricing'])
    await fillBasics(page, 'Kept by Ana')
    await page.context().clearCookies({ name: 'holdfast_session' })
    await save(page)
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await page.getByRole('button', { name: button }).click()
    await page.getByText('Signed in as Ana Example').waitFor()
    await save(page)
    await isSaved(page)
    await page.context().close()
  })

  it('says that the identity provider is away, and signs API clients in meanwhile', async () => {
    const { id, secret } = await deployment.addClient('reader', 'products.read')
    await provider.stop()
    const other = await findFreePort()
    const { address } = await deployment.openPlatform(createFlags(other))
    const page = await console.open()
    await page.goto(`${address}/console/catalogue`)
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('alert').getByText('does not respond. Try again in a minute.').waitFor()
    await page.reload()
    await page.getByText('did not respond a moment ago').waitFor()
    await check(page, 'sign-in-away')
    await page.getByText('Sign in as an API client', { exact: true }).click()
    await page.getByLabel('Client ID').fill(id)
    await page.getByLabel('Secret').fill(secret)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Signed in as reader').waitFor()
    await page.context().close()
    await provider.restart()
  })
})

describe('the sessions in the console', () => {
  it('are listed with their last use, and one that is ended must sign in again', async () => {
    const page = await console.visit('/console/sessions')
    const other = await console.visit('/console/catalogue')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('row', { name: /This browser/ }).waitFor()
    const row = page.getByRole('row', { name: /^Demo/ }).filter({ hasNotText: 'This browser' })
    await row.waitFor()
    await check(page, 'sessions')
    await row.getByRole('button', { name: 'End …' }).click()
    await page.getByRole('dialog', { name: 'End this session?' }).waitFor()
    await page.getByRole('button', { name: 'End session' }).click()
    await row.waitFor({ state: 'detached' })

    await other.getByRole('link', { name: 'Checks' }).click()
    await other.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    assertQuiet(page)
    await page.context().close()
    await other.context().close()
  })

  it('of other users are not listed without the scope', async () => {
    const page = await console.visitAs(['products.read'], '/console/sessions')
    await page.getByText('Browsers that are signed in in your name').waitFor()
    await page.getByText('1 session', { exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'End …' }).count(), 0)
    await page.context().close()
  })
})
