import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { bankingAccount } from '../support/lines.ts'
import type { Browser } from './browser.ts'
import {
  type ConsentPlatform,
  issuer,
  nextCustomer,
  openConsentPlatform,
  signInToConsents,
  type TestCustomer,
} from './platform.ts'
import { makeArrangement, makeThirdParty } from './stores.ts'

const platformOnEachEngine = shareOnEachEngine(async (scope) => {
  const platform = await openConsentPlatform(scope)
  await platform.addThirdParty(makeThirdParty('tp'))
  await platform.addThirdParty(makeThirdParty('cdr', { name: 'Accredited', profile: 'cds' }))
  return platform
})

let consents = 0

interface Terms {
  readonly accountIds?: readonly string[]
  readonly scopes?: readonly string[]
  readonly thirdPartyId?: string
  /** When the customer agreed. */
  readonly daysAgo?: number
  readonly days?: number
}

async function addConsent(
  { store }: ConsentPlatform,
  { id: customerId, accounts }: TestCustomer,
  { daysAgo = 0, days = 90, ...terms }: Terms = {},
): Promise<string> {
  consents += 1
  const id = `history-${consents}`
  const from = Temporal.Now.instant().subtract({ hours: 24 * daysAgo })
  const until = from.add({ hours: 24 * (daysAgo + days) })
  const scopes = ['openid', 'bank:accounts.basic:read']
  const all = { customerId, accountIds: accounts, scopes, from, until, ...terms }
  await store.arrangements.add(makeArrangement(id, all))
  return id
}

/** The text of a page without its tags. */
function readText({ page }: Browser): string {
  return page.text
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ')
}

async function openPage(platform: ConsentPlatform, customer: TestCustomer, id: string) {
  const browser = await signInToConsents(platform, customer)
  await browser.open(`${issuer}/consents/${id}`)
  return browser
}

describe('the dashboard of a customer', () => {
  it('5CM1.04.05 (a)–(e): shows the data, when it was given, the period and the expiry', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const id = await addConsent(platform, customer)

    const text = readText(await openPage(platform, customer, id))

    assert.match(text, /Active until \d+ \w+ \d{4}/)
    assert.match(text, /Account name, type and balance/)
    assert.match(text, /When you agreed \d+ \w+ \d{4}, \d+:\d+ [ap]m \(UTC\)/)
    assert.match(text, /How long Until \d+ \w+ \d{4}/)
    assert.match(text, /Accounts Everyday .*Holiday/)
  })

  it('5CM1.04.05 (f): shows what was disclosed, and when first and last', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const id = await addConsent(platform, customer)
    const { disclosures } = platform.store
    const browser = await openPage(platform, customer, id)
    assert.match(readText(browser), /Example Budget has not received data yet/)

    for (const time of ['2026-03-01T10:00:00Z', '2026-03-09T11:30:00Z']) {
      await disclosures.record(id, 'bank:transactions:read', Temporal.Instant.from(time))
    }
    await browser.open(`${issuer}/consents/${id}`)

    assert.match(
      readText(browser),
      /What Example Budget received Transaction details First 1 March 2026, 10:00 am \(UTC\) , last 9 March 2026, 11:30 am \(UTC\)/,
    )
  })

  it('5CM1.04.05 (h), 5CM1.02.09: shows what each amendment changed, with its time', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const [first, second] = customer.accounts
    const id = await addConsent(platform, customer, { accountIds: [first], daysAgo: 3 })
    const next = await addConsent(platform, customer, {
      accountIds: [second],
      scopes: ['openid', 'bank:transactions:read'],
      days: 30,
    })
    await platform.store.arrangements.amend(id, next, Temporal.Now.instant())

    const browser = await openPage(platform, customer, id)

    const text = readText(browser)
    assert.match(
      text,
      /You agreed to share .*You agreed to a change Data added: Transaction details Data removed: Account name, type and balance Accounts added: Holiday .*Accounts removed: Everyday .*End: \d+ \w+ \d{4} instead of \d+ \w+ \d{4}/,
    )
    assert.match(text, /Everyday .*You no longer share it with Example Budget\. Since/)
    await browser.open(`${issuer}/consents`)
    assert.ok(browser.page.text.includes(`/consents/${id}"`))
    // What was agreed before is part of its history.
    assert.ok(!browser.page.text.includes(`/consents/${next}"`))
  })

  it('advises to ask the third party how it handles the data', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const id = await addConsent(platform, customer)

    const text = readText(await openPage(platform, customer, id))

    assert.match(text, /Ask Example Budget how it uses, stores and deletes the data/)
  })

  it('lists consents of one third party so that they differ', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    await addConsent(platform, customer, { daysAgo: 2 })
    await addConsent(platform, customer, { accountIds: [customer.accounts[0]] })

    const text = readText(await signInToConsents(platform, customer))

    const lines = [...text.matchAll(/((?:\d|One) accounts?), agreed on (.*?\))/g)]
    assert.deepEqual(
      lines.map(([, count]) => count),
      ['One account', '2 accounts'],
    )
    assert.notEqual(lines[0]?.[2], lines[1]?.[2])
  })
})

describe('an account on the dashboard', () => {
  it('says that it is restricted, and then that it can be shared again', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const [accountId] = customer.accounts
    const id = await addConsent(platform, customer, { daysAgo: 1 })
    await platform.restrictions.set({ accountId }, 'harm')

    const browser = await openPage(platform, customer, id)
    const text = readText(browser)
    assert.match(
      text,
      /One account Demo Bank cannot share it at the moment\. For help, contact Demo Bank\. Since \d/,
    )
    assert.match(text, /An account: cannot be shared by Demo Bank for now/)
    assert.doesNotMatch(text, /harm|blocked/i)

    await platform.restrictions.end({ accountId })
    await browser.open(`${issuer}/consents/${id}`)
    const again = readText(browser)
    assert.match(again, /Everyday .*: cannot be shared .*Everyday .*: can be shared again/)
    assert.doesNotMatch(again, /at the moment/)
  })

  it('says that it was closed, and is no longer held', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const [first, second] = customer.accounts
    const id = await addConsent(platform, customer, { daysAgo: 1 })
    const closed = { displayName: 'Everyday', openStatus: 'CLOSED' }
    await platform.provider.load([
      bankingAccount(first, { [customer.id]: true }, closed),
      { type: 'banking.account', delete: { accountId: second } },
    ])

    const text = readText(await openPage(platform, customer, id))

    assert.match(text, /Everyday.*: was closed/)
    assert.match(text, /One account You no longer hold it at Demo Bank\. Since/)
    const changes = await platform.store.arrangements.listAccountChanges(id)
    assert.deepEqual(
      changes.map(({ accountId, state }) => [accountId, state]),
      [
        [first, 'closed'],
        [second, 'no_longer_held'],
      ],
    )
  })

  it('says what is known of it while the provider does not respond, and keeps its state', async (t) => {
    const platform = await openConsentPlatform(t)
    await platform.addThirdParty(makeThirdParty('tp'))
    const customer = nextCustomer()
    const [accountId] = customer.accounts
    const id = await addConsent(platform, customer, { daysAgo: 1 })
    await platform.restrictions.set({ accountId }, 'blocked')
    const browser = await openPage(platform, customer, id)
    platform.setProviderAway(true)

    await browser.open(`${issuer}/consents/${id}`)

    assert.match(
      readText(browser),
      /2 accounts\. Their names cannot be shown at the moment\. One account Demo Bank cannot share it/,
    )
    const changes = await platform.store.arrangements.listAccountChanges(id)
    assert.deepEqual(
      changes.map(({ state }) => state),
      ['restricted'],
    )
  })
})

describeOnce('the withdrawal', () => {
  it('5CM2.00.01: is on the dashboard at once, with a message', async () => {
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

    assert.match(browser.page.text, /value="withdraw">Stop sharing</)
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
