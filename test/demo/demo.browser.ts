import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { check, type Demo, openDemo } from './demo-browser.ts'

let demo: Demo

/** A customer of the demo; each test has its own, since passcodes are limited by customer. */
const emails = {
  shared: 'zara.zhang1@example.net',
  keyboard: 'grace.li2@example.org',
  mistyping: 'rachel.tran5@example.org',
  refusing: 'lukasz.cooper8@example.org',
  withdrawing: 'sam.robinson12@example.org',
}

/** Presses Tab until the control with this text has the focus. */
async function focusOn(page: Page, text: string): Promise<void> {
  const expression = `(() => {
    const { activeElement } = document
    return (activeElement.labels?.[0] ?? activeElement).innerText ?? ''
  })()`
  for (let count = 0; count < 60; count += 1) {
    await page.keyboard.press('Tab')
    if (String(await page.evaluate(expression)).includes(text)) return
  }
  assert.fail(`no focus on ${text}`)
}

async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name }).click()
}

/** The code that the page shows. */
async function readPasscode(page: Page): Promise<string> {
  const text = await page.locator('.notice').innerText()
  return /\b\d{6}\b/.exec(text)?.[0] ?? assert.fail(text)
}

/** From the start page to the page with the accounts. */
async function signIn(page: Page, email: string): Promise<void> {
  await page.goto(demo.budget)
  await press(page, 'Connect Demo Bank')
  await page.getByLabel('Your e-mail address at Demo Bank').fill(email)
  await press(page, 'Continue')
  await page.getByLabel('6-digit code').fill(await readPasscode(page))
  await press(page, 'Continue')
}

async function share(page: Page, email: string): Promise<void> {
  await signIn(page, email)
  await press(page, 'Select all accounts')
  await press(page, 'Continue')
  await press(page, 'Share')
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
}

const titles = (page: Page) => page.locator('.timeline .title').allInnerTexts()

describe('the demo in a browser', { timeout: 600_000 }, () => {
  const closings: (() => Promise<void>)[] = []
  before(async () => {
    demo = await openDemo({ after: (close) => void closings.unshift(close) })
  })
  after(async () => {
    for (const close of closings) await close()
  })

  it('shows a consent from the start page to the withdrawal, without findings of axe', async () => {
    const page = await demo.open()
    const errors: string[] = []
    page.on('console', (message) => {
      const isIcon = message.location().url.endsWith('/favicon.ico')
      if (message.type() === 'error' && !isIcon) errors.push(message.text())
    })

    await page.goto(demo.budget)
    await check(page, '1-start')
    await press(page, 'Connect Demo Bank')
    await check(page, '2-identify')
    await page.getByLabel('Your e-mail address at Demo Bank').fill(emails.shared)
    await press(page, 'Continue')
    await check(page, '3-passcode')
    const passcode = await readPasscode(page)
    assert.ok(
      demo
        .output()
        .includes(`Demo only: the one-time code for the phone ending 110 is ${passcode}`),
    )
    await page.getByLabel('6-digit code').fill(passcode)
    await press(page, 'Continue')
    await check(page, '4-accounts')
    await press(page, 'Select all accounts')
    await press(page, 'Continue')
    await check(page, '5-confirm')
    await press(page, 'Share')
    await page.getByRole('heading', { name: 'Budget of Zara Zhang' }).waitFor()
    await check(page, '6-budget')
    await page.getByText('Show the numbers').click()
    for (const title of [
      'Exchanges the code for tokens',
      'Reads the balances',
      'Find customers by e-mail address',
    ]) {
      await page.getByText(title).click()
    }
    await check(page, '7-opened')

    const before = await titles(page)
    assert.ok(
      before.some((title) => title.endsWith('(C1)')),
      before.join('\n'),
    )
    assert.ok(
      before.some((title) => title.endsWith('(C2)')),
      before.join('\n'),
    )
    assert.ok(
      before.some((title) => title.endsWith('(C3)')),
      before.join('\n'),
    )
    assert.ok(
      before.some((title) => title.endsWith('(B3)')),
      before.join('\n'),
    )
    await press(page, 'Withdraw')
    await page.getByText('Demo Bank refused the request').waitFor()
    await check(page, '8-withdrawn')
    const after = await titles(page)
    assert.equal(after.at(-1), 'Reads the accounts')
    assert.deepEqual(await page.locator('.timeline .status.bad').allInnerTexts(), ['401'])
    assert.deepEqual(errors, [])
    await page.context().close()
  })

  it('can be completed with the keyboard alone', async () => {
    const page = await demo.open()
    const type = async (text: string) => page.keyboard.type(text)
    await page.goto(demo.budget)

    await focusOn(page, 'Connect Demo Bank')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/consent/*')
    await focusOn(page, 'Your e-mail address at Demo Bank')
    await type(emails.keyboard)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Enter your one-time code' }).waitFor()
    await focusOn(page, '6-digit code')
    await type(await readPasscode(page))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Choose the accounts' }).waitFor()
    await focusOn(page, await page.locator('.choice').first().innerText())
    await page.keyboard.press('Space')
    assert.equal(await page.getByRole('checkbox').first().isChecked(), true)
    await focusOn(page, 'Continue')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Share your data with Example Budget?' }).waitFor()
    await focusOn(page, 'Share')
    await page.keyboard.press('Space')
    await page.getByRole('heading', { name: 'Budget of Grace Li' }).waitFor()
    await focusOn(page, 'Pushes the request for consent')
    await page.keyboard.press('Enter')

    await page.getByText('client_assertion (private_key_jwt)').first().waitFor()
    assert.match(await page.locator('section').first().innerText(), /Connected: 1 account and/)
    await page.context().close()
  })

  it('tells a customer who mistypes the code how many tries are left, and accepts the right one', async () => {
    const page = await demo.open()
    await page.goto(demo.budget)
    await press(page, 'Connect Demo Bank')
    await page.getByLabel('Your e-mail address at Demo Bank').fill('no address')
    await press(page, 'Continue')
    await check(page, '9-invalid-email')
    await page.getByLabel('Your e-mail address at Demo Bank').fill(emails.mistyping)
    await press(page, 'Continue')
    const passcode = await readPasscode(page)
    const wrong = passcode.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))

    await page.getByLabel('6-digit code').fill(wrong)
    await press(page, 'Continue')
    await check(page, '9-wrong-code')
    const problem = await page.getByRole('alert').innerText()
    await page.getByLabel('6-digit code').fill(passcode)
    await press(page, 'Continue')

    assert.match(problem, /The code is not correct. You have 2 more tries/)
    await page.getByRole('heading', { name: 'Choose the accounts' }).waitFor()
    await press(page, 'Continue')
    await check(page, '9-no-account')
    assert.match(await page.getByRole('alert').innerText(), /Select at least one account/)
    await page.context().close()
  })

  for (const [name, walk] of [
    [
      'cancels on the first page',
      async (page) => {
        await page.goto(demo.budget)
        await press(page, 'Connect Demo Bank')
      },
    ],
    [
      'refuses on the last page',
      async (page) => {
        await signIn(page, emails.refusing)
        await press(page, 'Select all accounts')
        await press(page, 'Continue')
      },
    ],
  ] as const satisfies readonly (readonly [string, (page: Page) => Promise<void>])[]) {
    it(`shares nothing if the customer ${name}`, async () => {
      const page = await demo.open()
      await walk(page)

      await press(page, 'Cancel')
      await page.getByText('Demo Bank is not connected').waitFor()
      await check(page, '9-cancelled')

      const calls = await titles(page)
      assert.equal(calls.at(-1), 'Brings the error access_denied')
      assert.deepEqual(
        calls.filter((title) => title.includes('Exchanges')),
        [],
      )
      await page.context().close()
    })
  }

  it('is refused after the customer withdraws at the provider', async () => {
    const page = await demo.open()
    await share(page, emails.withdrawing)

    await page.goto(`${demo.platform}/consents`)
    await check(page, '10-consents-sign-in')
    await page.getByLabel('Your e-mail address at Demo Bank').fill(emails.withdrawing)
    await press(page, 'Continue')
    await page.getByLabel('6-digit code').fill(await readPasscode(page))
    await press(page, 'Continue')
    await check(page, '10-consents')
    await page.getByRole('link', { name: 'Example Budget' }).click()
    await check(page, '10-consent')
    await press(page, 'Stop sharing')
    await check(page, '10-stop')
    await press(page, 'Stop sharing')
    await page.getByText('You stopped sharing').waitFor()
    await page.goto(demo.budget)
    await press(page, 'Read again')

    await page.getByText('Demo Bank refused the request').waitFor()
    assert.deepEqual(await page.locator('.timeline .status.bad').allInnerTexts(), ['401'])
    await press(page, 'Forget my data')
    await page.getByRole('heading', { name: 'See where your money goes' }).waitFor()
    await page.context().close()
  })

  it('rejects a return that this browser did not start', async () => {
    const page = await demo.open()
    await page.goto(demo.budget)
    await press(page, 'Connect Demo Bank')

    const response = await page.goto(
      `${demo.budget}/callback?code=c&state=other&iss=${demo.platform}`,
    )

    assert.equal(response?.status(), 400)
    await page.getByRole('heading', { name: 'Start again' }).waitFor()
    await page.context().close()
  })
})
