import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Settlement } from '../../src/platform/consent/outbox/store.ts'
import { openConsentStore } from '../../src/storage/open.ts'
import { makeArrangement, makeThirdParty } from '../consent/stores.ts'
import { mistype, press, readPasscode, requestPasscode, shareAll } from '../demo/demo-browser.ts'
import { fileScope } from '../support/engines.ts'
import { assertQuiet, check, focusOn, hostileStrings, openConsole } from './console-browser.ts'

/** A customer of the demo; each test has its own, since passcodes are limited by customer. */
const emails = { sharing: 'zara.zhang1@example.net', mistyping: 'rachel.tran5@example.org' }

const console = await openConsole(fileScope)
const store = await openConsentStore(console.database)
fileScope.after(() => store.close())

describe('the consents in the console', () => {
  it('say what fills them while there are none', async () => {
    const page = await console.visit('/console/consents')
    await page.getByText('No customer has given a consent yet').waitFor()
    await check(page, 'consents-empty')
    await page.getByRole('link', { name: 'Consent flows' }).click()
    await page.getByText('No consent flow in the last 7 days').waitFor()
    assert.equal(await page.title(), 'Consent flows – Holdfast')
    await check(page, 'flows-empty')
    assertQuiet(page)
    await page.context().close()
  })

  it('are found and withdrawn with the keyboard alone, and the next data call is refused', async () => {
    const budget = await requestPasscode(console, emails.sharing)
    await shareAll(budget)
    const [{ id = '', thirdPartyId = '' } = {}] = await store.arrangements.list(
      { limit: 1 },
      Temporal.Now.instant(),
    )

    const page = await console.visit('/console/consents')
    await page.getByRole('cell', { name: 'Active' }).waitFor()
    await check(page, 'consents')
    await page.getByText(id.slice(0, 8), { exact: true }).waitFor()
    await focusOn(page, 'Example Budget')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'What is shared' }).waitFor()
    await page.getByText('Incoming and outgoing transactions').waitFor()
    await page.getByText('The customer agreed.').waitFor()
    await check(page, 'consent-active')
    await focusOn(page, 'Explore')
    await page.keyboard.press('Enter')
    const sharing = page.getByRole('region', { name: 'Consents with this account' })
    await sharing.getByText('Active').waitFor()
    await check(page, 'explorer-account-shared')
    await focusOn(page, 'Example Budget', 200)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'What is shared' }).waitFor()
    await focusOn(page, 'Open in the explorer')
    await page.keyboard.press('Enter')
    const consents = page.getByRole('region', { name: 'Consents', exact: true })
    await consents.getByRole('link', { name: 'Example Budget' }).waitFor()
    await focusOn(page, 'Example Budget')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'What is shared' }).waitFor()
    await focusOn(page, 'Withdraw')
    await page.keyboard.press('Enter')
    await page.getByText('This cannot be undone').waitFor()
    await check(page, 'consent-withdraw')
    await page.keyboard.press('Escape')
    assert.equal(await page.getByText('This cannot be undone').count(), 0)
    await page.keyboard.press('Enter')
    await focusOn(page, 'Withdraw consent')
    await page.keyboard.press('Enter')
    await page.getByText('Demo withdrew the consent.').waitFor()
    await page.getByText('The consent was withdrawn').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Withdraw' }).count(), 0)
    await check(page, 'consent-withdrawn')

    await press(budget, 'Read again')
    await budget.getByText('Demo Bank refused the request').waitFor()
    await page
      .getByRole('navigation', { name: 'Breadcrumbs' })
      .getByRole('link', { name: 'Consents' })
      .click()
    await page.getByLabel('Status').selectOption('active')
    await page.getByText('No consent matches the filters').waitFor()
    await page.goBack()
    await page.getByRole('cell', { name: 'Withdrawn' }).waitFor()
    assert.equal(await page.getByLabel('Status').inputValue(), '')
    await page.getByLabel('Third party').fill('Example Budget')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('third-party') === thirdPartyId)
    await page.getByRole('cell', { name: 'Withdrawn' }).waitFor()
    await page.getByLabel('Third party').fill('no-such-id')
    await page.keyboard.press('Enter')
    await page.getByText('No consent matches the filters').waitFor()
    assertQuiet(page)
    await budget.context().close()
    await page.context().close()
  })

  it('show the failed steps of a customer who mistypes the passcode', async () => {
    const customer = await requestPasscode(console, emails.mistyping)
    await customer.getByLabel('6-digit code').fill(mistype(await readPasscode(customer)))
    await press(customer, 'Continue')
    await customer.getByText('The code is not correct').first().waitFor()

    const page = await console.visit('/console/consents/flows?state=failed')
    const summary = page.getByText('Passcode: The passcode is not correct.')
    await summary.click()
    await page.getByText('The customer has three tries for each code.').waitFor()
    assert.equal(await page.locator('.timeline > li').count(), 3)
    await check(page, 'flows')
    await press(customer, 'Cancel')
    await customer.getByText('Demo Bank is not connected').waitFor()
    await press(page, 'Refresh')
    await page.getByText('No flow of the last 7 days is in this state').waitFor()
    await page.getByLabel('State').selectOption('cancelled')
    await page.getByText('Passcode: The customer chose to cancel.').waitFor()
    assert.equal(new URL(page.url()).search, '?state=cancelled')
    assertQuiet(page)
    await customer.context().close()
    await page.context().close()
  })

  it('are read-only with the scope consent.read, and show hostile texts as texts', async () => {
    const now = Temporal.Now.instant()
    const text = hostileStrings.join(' ')
    const fields = { from: now, until: now.add({ hours: 1 }) }
    const failed = { time: now, step: 'request', outcome: 'failed' } as const
    await store.thirdParties.add(makeThirdParty('evil', { name: text, created: now }))
    for (let count = 0; count < 30; count += 1) {
      const customerId = count === 29 ? hostileStrings[0] : `c${count}`
      const arrangement = { ...fields, customerId, thirdPartyId: 'evil', accountIds: [text] }
      await store.arrangements.add(makeArrangement(`evil-${count}`, arrangement))
      await store.flows.add(`evil-${count}`, 'evil', {
        ...failed,
        reason: 'invalid_request',
        detail: text,
      })
    }

    const page = await console.visitAs(['consent.read'], '/console/consents?third-party=evil')
    await page.getByRole('link', { name: text }).first().waitFor()
    assert.equal(await page.getByRole('row').count(), 26)
    await press(page, 'Next page')
    await page.getByRole('row').nth(6).waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('row').count(), 6)
    await check(page, 'consents-hostile')
    await page.goto(`${console.platform}/console/consents/evil-29`)
    await page.getByRole('heading', { name: 'Accounts' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Withdraw' }).count(), 0)
    await check(page, 'consent-hostile')
    await page.goto(`${console.platform}/console/consents/flows`)
    await page.getByText('sent an invalid authorization request').first().click()
    await page.locator('pre').getByText('evil').first().waitFor()
    await check(page, 'flows-hostile')
    await page.goto(`${console.platform}/console/consents/unknown`)
    await page.getByText('Consent not found').waitFor()
    await check(page, 'consent-unknown')
    assertQuiet(page)
    await page.context().close()
  })

  it('show what became of the messages to third parties', async () => {
    // Later than the clock of the platform, so that it does not send them, and before the end of the others.
    const now = Temporal.Now.instant().add({ minutes: 30 })
    const until = now.add({ hours: 1 })
    const thirdPartyId = 'with-address'
    await store.thirdParties.add(
      makeThirdParty(thirdPartyId, { recipientBaseUri: 'https://budget.example', created: now }),
    )
    for (const id of ['informed', 'waiting', 'unreachable', 'silent']) {
      const thirdParty = id === 'silent' ? 'evil' : thirdPartyId
      await store.arrangements.add(
        makeArrangement(id, { thirdPartyId: thirdParty, from: now, until }),
      )
      await store.arrangements.withdraw(id, 'operator', now)
    }
    const lease = { id: 'l1', ends: now.add({ seconds: 60 }) }
    const settlements = {
      informed: { state: 'delivered', due: now },
      waiting: { state: 'waiting', due: until, error: 'status 503' },
      unreachable: { state: 'given_up', due: now, error: 'ECONNREFUSED' },
    } as const satisfies Record<string, Settlement>
    for (const message of await store.outbox.claim(thirdPartyId, 3, lease, now)) {
      const settlement = settlements[message.arrangementId as keyof typeof settlements]
      await store.outbox.settle(message, settlement, now)
    }

    const page = await console.visit(`/console/consents?third-party=${thirdPartyId}`)
    for (const state of ['Message waiting', 'Message given up'])
      await page.getByRole('cell', { name: state }).waitFor()
    await check(page, 'consents-messages')
    for (const [id, text] of [
      ['informed', /Delivered .* Attempts: 1\.$/],
      [
        'waiting',
        /Next attempt .* Attempts: 1\. Last failure: the answer was “Not available” status 503$/,
      ],
      [
        'unreachable',
        /Given up .* Attempts: 1\. Last failure: the connection was refused ECONNREFUSED$/,
      ],
    ] as const) {
      await page.goto(`${console.platform}/console/consents/${id}`)
      await page.getByRole('heading', { name: 'Messages' }).waitFor()
      await page.getByRole('listitem').filter({ hasText: text }).waitFor()
      await check(page, `consent-message-${id}`)
    }
    await page.goto(`${console.platform}/console/consents/silent`)
    await page.getByText('was not informed that the consent ended').waitFor()
    await check(page, 'consent-without-message')
    assertQuiet(page)
    await page.context().close()
  })

  it('show why a third party gets no data of an account', async () => {
    const now = Temporal.Now.instant()
    const seen = {
      shut: ['closed', 'closed', 'Closed The provider lists it as closed.'],
      blocked: ['restricted', 'account_refused', 'Restricted The provider refuses to share it.'],
      gone: [
        'no_longer_held',
        'account_unknown',
        'No longer held The provider does not know it for the customer.',
      ],
    } as const
    const accountIds = Object.keys(seen)
    const until = now.add({ hours: 1 })
    const fields = { customerId: 'missing', accountIds, from: now, until }
    await store.arrangements.add(makeArrangement('states', fields))
    const observed = Object.entries(seen).map(([accountId, [state, reason]]) => {
      return { accountId, time: now, state, reason }
    })
    await store.arrangements.recordAccounts('states', observed, now)

    const page = await console.visit('/console/consents/states')
    for (const text of Object.values(seen).map(([, , shown]) => shown))
      await page.getByRole('row', { name: text }).waitFor()
    await page.getByText('Account gone: The provider does not know it').waitFor()
    await check(page, 'consent-accounts')
    assertQuiet(page)
    await page.context().close()
  })

  it('stay usable on a slow network, and while the server restarts', async () => {
    const page = await console.visit('/console/consents')
    await page.getByRole('row').nth(1).waitFor()
    const { promise: isArriving, resolve: arrive } = Promise.withResolvers<void>()
    await page.route('**/v1/consents**', async (route) => {
      await isArriving
      await route.continue()
    })
    await page.getByLabel('Status').selectOption('expired')
    assert.ok((await page.getByRole('row').count()) > 1)
    arrive()
    await page.getByText('No consent matches the filters').waitFor()
    await console.stop()
    await page.getByLabel('Status').selectOption('')
    await page.getByText('The server cannot be reached.').waitFor()
    await page.getByText('What follows was read').waitFor()
    await console.start()
    await page.getByRole('row').nth(1).waitFor()
    assert.equal(await page.getByText('The server cannot be reached.').count(), 0)
    await page.context().close()
  })
})
