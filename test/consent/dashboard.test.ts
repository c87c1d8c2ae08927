import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { readForm } from './browser.ts'
import { share } from './cds.ts'
import {
  type ConsentPlatform,
  findPasscode,
  issuer,
  nextCustomer,
  openConsentPlatform,
  signInToConsents,
  type TestCustomer,
} from './platform.ts'
import { makeArrangement, makeThirdParty } from './stores.ts'

const page = `${issuer}/consents`

const platformOnEachEngine = shareOnEachEngine(async (scope) => {
  const platform = await openConsentPlatform(scope)
  await platform.addThirdParty(makeThirdParty('tp', { name: 'Example <Budget>' }))
  return platform
})

let consents = 0

/** Adds a consent of a customer. */
async function addConsent(
  { store }: ConsentPlatform,
  { id: customerId, accounts }: TestCustomer,
  seconds = 86_400,
): Promise<string> {
  consents += 1
  const id = `consent-${consents}`
  const from = Temporal.Now.instant()
  const until = from.add({ seconds })
  const scopes = ['openid', 'bank:accounts.basic:read']
  await store.arrangements.add(
    makeArrangement(id, { customerId, accountIds: [...accounts, 'gone'], scopes, from, until }),
  )
  return id
}

describe('the page with consents', () => {
  it('lists those of the customer after e-mail and passcode, and no others', async () => {
    const platform = await platformOnEachEngine()
    const [customer, other] = [nextCustomer(), nextCustomer()]
    const id = await addConsent(platform, customer)
    const foreign = await addConsent(platform, other)

    const browser = await signInToConsents(platform, customer)

    assert.ok(browser.page.text.includes(`/consents/${id}"`))
    assert.ok(!browser.page.text.includes(foreign))
    assert.match(browser.page.text, /Example &lt;Budget&gt;/)
    await browser.open(`${page}/${foreign}`)
    assert.equal(browser.page.status, 404)
    const unknown = browser.page.text
    await browser.open(`${page}/unknown`)
    assert.equal(browser.page.text, unknown)
  })

  it('lists active ones before those that have ended, in pages that continue each other', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const ids: string[] = []
    for (let count = 0; count < 60; count += 1) ids.push(await addConsent(platform, customer))
    const ended = ids.slice(0, 5)
    for (const id of ended) {
      await platform.store.arrangements.withdraw(id, 'customer', Temporal.Now.instant())
    }
    const readIds = ({ page }: { readonly page: { readonly text: string } }) =>
      [...page.text.matchAll(/\/consents\/(consent-\d+)"/g)].map(([, id]) => id)

    const browser = await signInToConsents(platform, customer)
    const first = readIds(browser)
    assert.doesNotMatch(browser.page.text, /Ended/)
    const [, more = ''] = /href="([^"]*\?before=[^"]*)"/.exec(browser.page.text) ?? []
    await browser.open(`${issuer}${more}`)
    const second = readIds(browser)
    assert.match(browser.page.text, /<h2>Active<.*<h2>Ended</s)
    assert.doesNotMatch(browser.page.text, /before=|not sharing any data/)
    await browser.open(`${page}?before=nonsense`)

    assert.deepEqual(readIds(browser), first)
    assert.equal(first.length, 50)
    assert.deepEqual([...first, ...second].sort(), [...ids].sort())
    assert.deepEqual(second.slice(-ended.length).sort(), ended.sort())
  })

  it('shows what is shared, and ends it after a confirmation', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const id = await addConsent(platform, customer)
    const browser = await signInToConsents(platform, customer)

    await browser.open(`${page}/${id}`)
    const { text } = browser.page
    assert.match(text, /Account name, type and balance/)
    assert.match(text, /One account<span class="detail">You no longer hold it at Demo Bank\./)
    assert.match(text, /You agreed to share/)
    await browser.open(`${page}/${id}/stop`)
    assert.match(browser.page.text, /Stop sharing with Example &lt;Budget&gt;\?/)
    assert.equal(
      (await platform.store.arrangements.find(id, Temporal.Now.instant()))?.status,
      'active',
    )
    await browser.submit('withdraw')

    assert.match(browser.page.text, />Stopped<\/span> on .*You stopped sharing/s)
    assert.ok(!browser.page.text.includes(`${id}/stop"`))
    const changes = await platform.store.arrangements.listChanges(id)
    assert.equal(changes.at(-1)?.reason, 'customer')
    await browser.open(page)
    assert.match(browser.page.text, /You are not sharing any data\..*Ended/s)
  })

  it('ends the tokens of a consent, in every process', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const sharing = await share(platform, { customer, accounts: customer.accounts })
    const another = await platform.openAnother()
    const browser = await signInToConsents(platform, customer)
    await browser.open(`${page}/${sharing.arrangementId}/stop`)
    assert.equal((await sharing.call('/common/customer', { port: another })).status, 200)

    await browser.submit('withdraw')

    assert.equal((await sharing.call('/common/customer')).status, 401)
    assert.equal((await sharing.call('/common/customer', { port: another })).status, 401)
  })

  it('shows the end of a consent whose time is over', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const id = await addConsent(platform, customer, 0)
    const browser = await signInToConsents(platform, customer)

    await browser.open(`${page}/${id}/stop`)

    assert.equal(browser.page.url.pathname, `/consents/${id}`)
    assert.match(browser.page.text, />Ended<\/span> on .*The agreed time was over/s)
  })

  it('ends the session when the customer signs out, and after 15 minutes', async (t) => {
    const platform = await openConsentPlatform(t)
    const first = await signInToConsents(platform, nextCustomer())
    const { cookies } = first

    await first.submit('sign-out')
    assert.match(first.page.text, /Your e-mail address/)
    first.cookies = cookies
    await first.open(page)
    assert.match(first.page.text, /Your e-mail address/)

    const second = await signInToConsents(platform, nextCustomer())
    platform.pass(899)
    await second.open(page)
    assert.match(second.page.text, /Sign out/)
    platform.pass(1)
    await second.open(`${page}/x`)
    assert.match(second.page.text, /Your e-mail address/)
  })
})

describeOnce('an attack on the page with consents', () => {
  it('by a form of another site is refused', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const id = await addConsent(platform, customer)
    const browser = await signInToConsents(platform, customer)
    await browser.open(`${page}/${id}/stop`)
    const own = readForm(browser.page.text, 'withdraw', {})
    const url = new URL(`${page}/${id}/stop`)
    const withoutToken = new URLSearchParams({ action: 'withdraw' })
    const other = await signInToConsents(platform, nextCustomer())
    const foreignToken = readForm(other.page.text, 'sign-out', {})
    foreignToken.set('action', 'withdraw')

    const answers = [
      await browser.post(url, own, { origin: 'https://evil.example' }),
      await browser.post(url, own, { 'sec-fetch-site': 'cross-site' }),
      await browser.post(url, own, { 'sec-fetch-site': 'same-site' }),
      await browser.post(url, own, { origin: 'null' }),
      await browser.post(url, withoutToken),
      await browser.post(url, foreignToken),
    ]

    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(6).fill(403),
    )
    const found = await platform.store.arrangements.find(id, Temporal.Now.instant())
    assert.equal(found?.status, 'active')
    assert.equal((await browser.post(url, own)).status, 303)
  })

  it('by withdrawing the consent of another customer is a 404', async () => {
    const platform = await platformOnEachEngine()
    const victim = nextCustomer()
    const id = await addConsent(platform, victim)
    const browser = await signInToConsents(platform, nextCustomer())
    const form = readForm(browser.page.text, 'sign-out', {})
    form.set('action', 'withdraw')

    const { status } = await browser.post(new URL(`${page}/${id}/stop`), form)

    assert.equal(status, 404)
    const found = await platform.store.arrangements.find(id, Temporal.Now.instant())
    assert.equal(found?.status, 'active')
  })

  it('with a cookie that was known before the sign-in gets nothing', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const attacker = platform.browse()
    await attacker.open(page)
    const victim = platform.browse()
    victim.cookies = attacker.cookies

    await signInToConsents(platform, customer, victim)

    await attacker.open(page)
    assert.match(attacker.page.text, /Your e-mail address/)
  })

  it('with a tampered or malformed cookie gets the sign-in', async () => {
    const platform = await platformOnEachEngine()
    const browser = await signInToConsents(platform, nextCustomer())
    const [cookie] = browser.cookies

    for (const value of [
      `${cookie?.value.slice(0, -1)}!`,
      'A'.repeat(43),
      'x'.repeat(3000),
      '%00',
    ]) {
      const headers = { cookie: `holdfast_dashboard=${value}` }
      const { status, text } = await send(platform.port, '/consents', { headers })

      assert.equal(status, 200)
      assert.match(text, /Your e-mail address/)
    }
  })

  it('by guessing passcodes ends after three tries', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const browser = platform.browse()
    await browser.open(page)
    await browser.submit('identify', { email: customer.email })
    const correct = findPasscode(platform.passcodes, customer.id)
    const wrong = correct === '000000' ? '000001' : '000000'

    for (let count = 0; count < 3; count += 1) await browser.submit('passcode', { passcode: wrong })
    await browser.submit('passcode', { passcode: correct })

    assert.equal(browser.page.status, 422)
    assert.match(browser.page.text, /can no longer be used/)
  })

  it('cannot find out whether an address is known', async () => {
    const platform = await platformOnEachEngine()
    const known = nextCustomer()
    const pages = []
    for (const email of [known.email, `un${known.email}`]) {
      const browser = platform.browse()
      await browser.open(page)
      await browser.submit('identify', { email })
      const { status, text } = browser.page
      pages.push([
        status,
        text.replaceAll(email, '').replaceAll(/value="[\w-]{43}"|<time.*<\/time>/g, ''),
      ])
    }

    assert.deepEqual(pages[0], pages[1])
  })

  it('cannot frame the page, run a script or store it', async () => {
    const platform = await platformOnEachEngine()

    const { headers } = await send(platform.port, '/consents')

    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    assert.equal(headers['cache-control'], 'no-store')
    assert.match(String(headers['set-cookie']), /; HttpOnly; SameSite=Lax; Secure$/)
  })
})

describeOnce('the page with consents of an unavailable provider', () => {
  it('lets a customer who is signed in withdraw, and asks others to try again', async (t) => {
    const platform = await openConsentPlatform(t)
    await platform.addThirdParty(makeThirdParty('tp'))
    const customer = nextCustomer()
    const id = await addConsent(platform, customer)
    const browser = await signInToConsents(platform, customer)
    const other = platform.browse()
    await other.open(page)
    await platform.provider.close()

    await browser.open(`${page}/${id}`)
    assert.match(browser.page.text, /3 accounts\. Their names cannot be shown at the moment/)
    await browser.open(`${page}/${id}/stop`)
    await browser.submit('withdraw')
    assert.match(browser.page.text, /You stopped sharing/)
    await other.submit('identify', { email: nextCustomer().email })
    assert.equal(other.page.status, 503)
    assert.match(other.page.text, /Please try again/)
  })
})
