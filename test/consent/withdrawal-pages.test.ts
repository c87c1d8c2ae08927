import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { bankingAccount } from '../support/lines.ts'
import { addConsent, openDashboard, openPage, readText } from './dashboard-consents.ts'
import { issuer, nextCustomer } from './platform.ts'

const platformOnEachEngine = shareOnEachEngine(openDashboard)

describeOnce('the withdrawal', () => {
  it('5CM2.00.01, 5CM1.04.01: is on the dashboard at once, with a message', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const id = await addConsent(platform, customer)
    const browser = await openPage(platform, customer, id)
    await browser.open(`${issuer}/consents/${id}/stop`)

    await browser.submit('withdraw')

    const text = readText(browser)
    assert.match(text, /You stopped sharing with Example Budget\. Demo Bank shares nothing/)
    assert.match(browser.page.text, /role="status"/)
    assert.match(text, /Status Stopped on .*History .*You stopped sharing/)
  })

  it('5CM2.00.02: advises to check with the third party before', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const id = await addConsent(platform, customer)
    const browser = await openPage(platform, customer, id)

    await browser.open(`${issuer}/consents/${id}/stop`)

    assert.match(readText(browser), /Check with Example Budget before you stop sharing/)
  })

  it('Data language: names the data that is no longer shared, and its accounts', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const id = await addConsent(platform, customer)
    const browser = await openPage(platform, customer, id)

    await browser.open(`${issuer}/consents/${id}/stop`)

    assert.match(
      readText(browser),
      /no longer shared Account name, type and balance Name of account .* 2 accounts: Everyday; Holiday/,
    )
  })

  it('Contextual alert: says that other owners of a joint account may be notified', async (t) => {
    const platform = await openDashboard(t)
    const customer = nextCustomer()
    const [joint, own] = customer.accounts
    const owners = {
      displayName: 'Everyday',
      accountOwnership: 'TWO_PARTY',
      users: [{ id: 1, isAccountHolder: true }],
    }
    await platform.provider.load([bankingAccount(joint, { [customer.id]: true }, owners)])
    const first = await addConsent(platform, customer, { accountIds: [joint] })
    const second = await addConsent(platform, customer, { accountIds: [own] })
    const browser = await openPage(platform, customer, first)
    const notice = /other owners of a joint account may be notified/

    await browser.open(`${issuer}/consents/${first}/stop`)
    assert.match(readText(browser), notice)
    await browser.open(`${issuer}/consents/${second}/stop`)
    assert.doesNotMatch(readText(browser), notice)
    // It is unknown whether the account is joint.
    platform.setProviderAway(true)
    await browser.open(`${issuer}/consents/${second}/stop`)
    assert.match(readText(browser), notice)
  })

  it('5CM2.00.03: explains what happens to redundant data, and the right to deletion', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const plain = await addConsent(platform, customer)
    const accredited = await addConsent(platform, customer, { thirdPartyId: 'cdr' })
    const browser = await openPage(platform, customer, plain)

    await browser.open(`${issuer}/consents/${plain}/stop`)
    assert.match(
      readText(browser),
      /Example Budget keeps what it already received, unless you ask it to delete/,
    )
    await browser.open(`${issuer}/consents/${accredited}/stop`)
    assert.match(
      readText(browser),
      /Accredited must delete or de-identify your data when it no longer needs it.*the right to ask Accredited to delete/,
    )
  })

  it('5CM2.00.04, 5CM2.00.05: is named “Stop sharing” and has two steps', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const id = await addConsent(platform, customer)
    const browser = await openPage(platform, customer, id)
    const [button] = /<button[^>]*>Stop sharing<\/button>/.exec(browser.page.text) ?? []
    assert.ok(button)

    await browser.open(`${issuer}/consents/${id}/stop`)

    assert.match(browser.page.text, /value="withdraw"[^>]*>Stop sharing</)
    const { arrangements } = platform.store
    assert.equal((await arrangements.find(id, Temporal.Now.instant()))?.status, 'active')
  })

  it('has no message on a consent that is active', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const id = await addConsent(platform, customer)
    const browser = await openPage(platform, customer, id)

    await browser.open(`${issuer}/consents/${id}?stopped`)

    assert.doesNotMatch(readText(browser), /You stopped sharing/)
  })
})
