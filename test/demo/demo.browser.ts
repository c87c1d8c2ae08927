import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openConsentStore } from '../../src/storage/open.ts'
import { fileScope } from '../support/engines.ts'
import {
  check,
  enterPasscode,
  focusOn,
  mistype,
  openDemo,
  press,
  readPasscode,
  requestPasscode,
  shareAll,
} from './demo-browser.ts'

/** A customer of the demo; each test has its own, since passcodes are limited by customer. */
const emails = {
  shared: 'zara.zhang1@example.net',
  keyboard: 'grace.li2@example.org',
  mistyping: 'rachel.tran5@example.org',
  refusing: 'lukasz.cooper8@example.org',
  withdrawing: 'sam.robinson12@example.org',
}

const titles = (page: Page) => page.locator('.timeline .title').allInnerTexts()

/** The titles of the calls that a step caused. */
const callsBelow = (page: Page, title: string) =>
  page
    .locator('.timeline > ol > li')
    .filter({ has: page.locator(':scope > details .title', { hasText: title }) })
    .first()
    .locator('ol .title')
    .allInnerTexts()

const demo = await openDemo(fileScope)

describe('the demo in a browser', () => {
  it('WCAG 1.4, WCAG 2.5, WCAG 3.1, WCAG 3.3: shows a consent from the start page to the withdrawal, without findings of axe', async () => {
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
    assert.deepEqual(await callsBelow(page, 'Enters the e-mail address'), [
      'Find customers by e-mail address (C1)',
      'Sends a one-time code to the phone ending 110',
    ])
    assert.deepEqual(await callsBelow(page, 'Reads the accounts'), [
      'List the bank accounts of a customer (B1)',
    ])
    const axis = await page.locator('.chart text[text-anchor=end]').allTextContents()
    assert.ok(axis.length >= 2)
    for (const text of axis) assert.match(text, /^\$[\d,]+$/)

    await page.getByRole('link', { name: 'Withdraw' }).click()
    await page.getByRole('heading', { name: 'Withdraw your consent?' }).waitFor()
    await check(page, '8-withdraw')
    await page.getByRole('link', { name: 'Keep sharing' }).click()
    await page.getByText(/^Connected: \d accounts/).waitFor()
    assert.deepEqual(await titles(page), before)
    await page.getByRole('link', { name: 'Withdraw' }).click()
    await press(page, 'Withdraw')
    await page.getByRole('heading', { name: 'The sharing has ended' }).waitFor()
    await page.getByText('Demo Bank refused the request').waitFor()
    const end = await page.locator('main').innerText()
    assert.match(end, /your name: Zara Zhang/)
    assert.match(end, /\d accounts with numbers and balances, read at/)
    assert.match(end, /\d+ transactions since 1 [A-Z][a-z]+ 20\d\d/)
    assert.match(end, /must delete or de-identify redundant data/)
    await check(page, '8-withdrawn')
    await page.getByText('Show the data that it still has').click()
    await page.getByRole('heading', { name: 'Largest merchants' }).waitFor()
    const after = await titles(page)
    assert.equal(after.at(-1), 'Reads the accounts')
    assert.deepEqual(await page.locator('.timeline .status.bad').allInnerTexts(), ['401'])

    await press(page, 'Delete my data')
    await page.getByRole('heading', { name: 'Your data is deleted' }).waitFor()
    await check(page, '8-deleted')
    await page.goto(`${demo.budget}/withdraw`)
    await page.getByRole('heading', { name: 'See where your money goes' }).waitFor()
    assert.deepEqual(errors, [])
    await page.context().close()
  })

  it('has the logo and the colour of the bank, and says which addresses exist after a mistyped one', async () => {
    const page = await requestPasscode(demo, 'unknown@example.net')
    const notice = await page.locator('.notice').innerText()
    await check(page, '9-unknown-address')
    assert.match(notice, /no message was sent, because no customer .* unknown@example.net/)
    assert.ok(notice.includes(emails.shared), notice)

    await page.goto(`${demo.platform}/consents`)
    assert.equal(await page.evaluate("document.querySelector('.brand img').naturalWidth"), 32)
    const colour = "getComputedStyle(document.querySelector('button')).backgroundColor"
    assert.equal(await page.evaluate(colour), 'rgb(107, 47, 160)')
    await page.getByLabel('Your e-mail address at Demo Bank').fill('unknown@example.net')
    await press(page, 'Continue')
    assert.equal(await page.locator('.notice').innerText(), notice)
    await page.context().close()
  })

  it('WCAG 2.1: can be completed with the keyboard alone', async () => {
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
    const address = page.getByLabel('Your e-mail address at Demo Bank')
    await address.fill(emails.mistyping)
    assert.equal(await page.getByText('Enter your e-mail address').count(), 2)
    assert.equal(await page.getByText('Enter your e-mail address').first().isVisible(), false)
    assert.equal(await page.getByText('Enter your e-mail address').last().isVisible(), false)
    await address.fill('no address')
    assert.equal(await page.getByRole('alert').isVisible(), true)
    await address.fill(emails.mistyping)
    await press(page, 'Continue')
    const passcode = await readPasscode(page)

    await page.getByLabel('6-digit code').fill(mistype(passcode))
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
    await page.getByRole('checkbox').first().check()
    assert.equal(await page.getByText('Select at least one account').first().isVisible(), false)
    await page.context().close()
  })

  for (const [name, walk] of [
    [
      'cancels on the first page',
      async () => {
        const page = await demo.open()
        await page.goto(demo.budget)
        await press(page, 'Connect Demo Bank')
        return page
      },
    ],
    [
      'refuses on the last page',
      async () => {
        const page = await requestPasscode(demo, emails.refusing)
        await enterPasscode(page)
        await press(page, 'Select all accounts')
        await press(page, 'Continue')
        return page
      },
    ],
  ] as const satisfies readonly (readonly [string, () => Promise<Page>])[]) {
    it(`shares nothing if the customer ${name}`, async () => {
      const page = await walk()

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
    const page = await requestPasscode(demo, emails.withdrawing)
    await shareAll(page)
    await refuseOnce(demo.database)

    await page.goto(`${demo.platform}/consents`)
    await check(page, '10-consents-sign-in')
    await page.getByLabel('Your e-mail address at Demo Bank').fill(emails.withdrawing)
    await press(page, 'Continue')
    await enterPasscode(page)
    await check(page, '10-consents')
    await page.getByRole('link', { name: 'Example Budget' }).click()
    await check(page, '10-consent')
    await focusOn(page, 'Stop sharing')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Stop sharing with Example Budget?' }).waitFor()
    await check(page, '10-stop')
    await focusOn(page, 'Stop sharing')
    await page.keyboard.press('Space')
    await page.getByText('You stopped sharing with Example Budget').waitFor()
    await check(page, '10-stopped')
    await page.goto(demo.budget)
    await press(page, 'Read again')

    await page.getByText('Demo Bank refused the request').waitFor()
    assert.deepEqual(await page.locator('.timeline .status.bad').allInnerTexts(), ['401'])
    await press(page, 'Delete my data')
    await page.getByRole('heading', { name: 'Your data is deleted' }).waitFor()
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

/** As if the provider had refused to share an account of the newest consent. */
async function refuseOnce(database: string): Promise<void> {
  const { arrangements, close } = await openConsentStore(database)
  const now = Temporal.Now.instant()
  const [consent] = await arrangements.list({ limit: 1, isNewestFirst: true }, now)
  const {
    id,
    accountIds: [accountId = ''],
  } = consent ?? assert.fail('no consent')
  const refused = { state: 'restricted', reason: 'account_refused' } as const
  await arrangements.recordAccounts(id, [{ accountId, time: now, ...refused }], now)
  await close()
}
