import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileScope } from '../support/engines.ts'
import { assertQuiet, check, focusOn, openConsole } from './console-browser.ts'
import { fillBasics, isSaved, newProduct, save, signIn } from './editor-steps.ts'

const console = await openConsole(fileScope)

describe('the console in a browser', () => {
  it('is where / leads, and one button signs in to the demo', async () => {
    const page = await console.open()
    await page.goto(`${console.platform}/`)
    await page.getByRole('heading', { name: 'Sign in to Demo Bank' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/console')
    await check(page, 'sign-in')

    await focusOn(page, 'Sign in to the demo')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.equal(await page.title(), 'Overview – Holdfast')
    const [cookie] = await page.context().cookies()
    assert.ok(cookie)
    assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, 'Strict'])
    await page.context().close()
  })

  it('says why a sign-in failed', async () => {
    const page = await console.open()
    await page.goto(`${console.platform}/console`)
    await page.getByText('Sign in as an API client').click()
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').getByText('Enter the client ID.').waitFor()
    await page.getByLabel('Client ID').fill('unknown')
    await page.getByLabel('Secret').fill('wrong')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').getByText('The client ID or the secret is wrong.').waitFor()
    await page.context().close()
  })

  it('says which scope is missing', async () => {
    const page = await console.visitAs(['products.read'], '/console')
    await page.getByText('This page needs the scope operations.read').waitFor()
    await check(page, 'no-permission')
    assertQuiet(page)
    await page.context().close()
  })

  it('asks to sign in again, and signs out, after another tab signed in', async () => {
    const page = await console.visit(newProduct)
    const other = await page.context().newPage()
    await other.goto(`${console.platform}/console`)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await other.getByRole('button', { name: 'Sign in to the demo' }).click()
    await other.getByRole('button', { name: 'Sign out' }).waitFor()

    await fillBasics(page, 'Kept')
    await save(page)
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await signIn(page)
    await save(page)
    await isSaved(page)

    await other.getByRole('button', { name: 'Sign out' }).click()
    await other.getByRole('heading', { name: 'Sign in to Demo Bank' }).waitFor()
    await other.reload()
    await other.getByRole('heading', { name: 'Sign in to Demo Bank' }).waitFor()
    await page.context().close()
  })

  it('forgets a session that was signed out', async () => {
    const page = await console.visit('/console')
    const cookies = await page.context().cookies()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Demo Bank' }).waitFor()

    await page.context().addCookies(cookies)
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to Demo Bank' }).waitFor()
    assertQuiet(page)
    await page.context().close()
  })
})
