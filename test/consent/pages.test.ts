import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attemptLimits } from '../../src/platform/consent/passcodes.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { openBrowser, readForm } from './browser.ts'
import {
  agree,
  type ConsentPlatform,
  email,
  findPasscode,
  identify,
  issuer,
  nextCustomer,
  openConsentPlatform,
} from './platform.ts'
import { cdsClaims, registerThirdParty } from './third-party.ts'

const platformOnEachEngine = shareOnEachEngine(openConsentPlatform)

async function openFlow(platform: ConsentPlatform, parameters: Record<string, string> = {}) {
  const thirdParty = await registerThirdParty(platform)
  const started = await thirdParty.start(parameters)
  const browser = platform.browse()
  await browser.open(started.url)
  return { thirdParty, started, browser }
}

const wrong = (passcode: string) => String((Number(passcode) + 1) % 1_000_000).padStart(6, '0')

describe('the consent pages', () => {
  it('say who asks for what and for how long, in plain words', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform, { sharing_duration: String(90 * 86_400) })

    const { text, headers } = browser.page
    for (const part of [
      'Example Budget wants to see your data at Demo Bank',
      'Account name, type and balance',
      'Transaction details',
      'never asks for your banking password',
    ]) {
      assert.ok(text.includes(part), part)
    }
    assert.doesNotMatch(text, /bank:|openid|scope|<script|<style|style=/i)
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self' https://budget.example; frame-ancestors 'none'; base-uri 'none'",
    )
    assert.equal(headers['cache-control'], 'no-store')
  })

  it('say that a sharing without a duration happens once', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)

    assert.match(browser.page.text, /Once\. Example Budget can read the data/)
  })

  it('have an icon', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)
    const [, path = ''] = /rel="icon" href="([^"]+)"/.exec(browser.page.text) ?? []

    await browser.open(issuer + path)

    assert.equal(browser.page.headers['content-type'], 'image/svg+xml')
    assert.match(browser.page.text, /fill="#0b5fff"/)
  })

  it('have a stylesheet that may be cached', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)
    const [, path = ''] = /rel="stylesheet" href="([^"]+)"/.exec(browser.page.text) ?? []

    await browser.open(issuer + path)

    assert.equal(browser.page.headers['content-type'], 'text/css; charset=utf-8')
    assert.match(String(browser.page.headers['cache-control']), /immutable/)
    assert.match(browser.page.text, /prefers-color-scheme:dark/)
  })

  for (const address of ['', 'ana', 'a b@example.com', `${'a'.repeat(250)}@example.com`]) {
    it(`do not accept ${address.slice(0, 20) || 'nothing'} as an e-mail address`, async () => {
      const platform = await platformOnEachEngine()
      const { browser } = await openFlow(platform)

      await browser.submit('identify', { email: address })

      assert.equal(browser.page.status, 422)
      assert.match(browser.page.text, /aria-invalid="true"/)
      assert.match(browser.page.text, /<a href="#email">/)
    })
  }

  it('are the same for a known and an unknown address, and one without a phone', async () => {
    const platform = await platformOnEachEngine()
    const pages = []
    const sent = platform.passcodes.length
    for (const address of ['known', 'unknown', 'no phone']) {
      const { browser } = await openFlow(platform)
      const addresses = {
        known: nextCustomer().email,
        unknown: 'x@example.com',
        'no phone': 'dan@example.com',
      }
      const used = addresses[address as keyof typeof addresses]
      await browser.submit('identify', { email: used })
      await browser.submit('passcode', { passcode: '000000' })
      const text = browser.page.text
        .replaceAll(used, 'ADDRESS')
        .replaceAll(/name="token" value="[^"]+"/g, '')
        .replaceAll(/<time.*<\/time>/g, '')
      pages.push({ text, status: browser.page.status })
    }

    const [known, unknown, noPhone] = pages
    assert.deepEqual(unknown, known)
    assert.deepEqual(noPhone, known)
    assert.match(known?.text ?? '', /2 more tries/)
    assert.equal(platform.passcodes.length, sent + 1)
  })

  it('escape what a customer enters', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)

    await browser.submit('identify', { email: '"><b>x</b>' })

    assert.ok(browser.page.text.includes('value="&quot;&gt;&lt;b&gt;x&lt;/b&gt;"'))
  })

  it('accept a correct passcode within three tries only', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)
    const customer = nextCustomer()
    await browser.submit('identify', { email: customer.email })
    const passcode = findPasscode(platform.passcodes, customer.id)
    const texts = []

    for (let count = 0; count < 3; count += 1) {
      await browser.submit('passcode', { passcode: wrong(passcode) })
      texts.push(/You have \w+ more tr|can no longer/.exec(browser.page.text)?.[0])
    }
    await browser.submit('passcode', { passcode })

    assert.deepEqual(texts, ['You have 2 more tr', 'You have one more tr', 'can no longer'])
    assert.match(browser.page.text, /can no longer be used/)
  })

  it('count concurrent guesses in several processes', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)
    const customer = nextCustomer()
    await browser.submit('identify', { email: customer.email })
    const passcode = findPasscode(platform.passcodes, customer.id)
    const both = openBrowser(issuer, platform.port, await platform.openAnother())
    both.cookies = browser.cookies
    const token = /name="token" value="([^"]+)"/.exec(browser.page.text)?.[1] ?? ''
    const guess = (code: string) =>
      both.post(
        browser.page.url,
        new URLSearchParams({ token, action: 'passcode', passcode: code }),
      )

    const answers = await Promise.all(Array.from({ length: 12 }, () => guess(wrong(passcode))))

    const isTry = answers.filter(({ text }) => /more tr(y|ies)/.test(text))
    assert.equal(isTry.length, 2)
    assert.equal((await guess(passcode)).status, 422)
  })

  it('send another passcode after 30 seconds, which replaces the first', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)
    const customer = nextCustomer()
    await browser.submit('identify', { email: customer.email })
    const first = findPasscode(platform.passcodes, customer.id)

    // Requests that come too soon do not count.
    for (let count = 0; count < 6; count += 1) {
      await browser.submit('resend')
      assert.equal(browser.page.status, 429)
      assert.match(browser.page.text, /less than 30 seconds ago/)
    }
    platform.pass(31)
    await browser.submit('resend')
    assert.equal(browser.page.status, 200)
    const second = findPasscode(platform.passcodes, customer.id)
    if (first !== second) {
      await browser.submit('passcode', { passcode: first })
      assert.equal(browser.page.status, 422)
    }
    await browser.submit('passcode', { passcode: second })
    assert.match(browser.page.text, /Choose the accounts/)
  })

  it('send a passcode to another address at once', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)
    await browser.submit('identify', { email: 'mistyped@example.com' })

    await browser.submit('restart')
    await identify(browser, platform)

    assert.match(browser.page.text, /Choose the accounts/)
  })

  it('do not accept a passcode after five minutes', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)
    const customer = nextCustomer()
    await browser.submit('identify', { email: customer.email })
    platform.pass(300)

    await browser.submit('passcode', { passcode: findPasscode(platform.passcodes, customer.id) })

    assert.match(browser.page.text, /can no longer be used/)
  })

  it('limit the passcodes for an address, known or not', async () => {
    const platform = await platformOnEachEngine()
    for (const address of [nextCustomer().email, 'limited@example.com']) {
      const { browser, thirdParty } = await openFlow(platform)
      const { passcodes_by_email: shared, passcodes_by_email_reserved: reserved } = attemptLimits
      for (let count = shared.capacity + reserved.capacity; count >= 0; count -= 1) {
        await browser.open((await thirdParty.start()).url)
        await browser.submit('identify', { email: address.toUpperCase() })
        assert.equal(browser.page.status, count > 0 ? 200 : 429)
      }
    }
  })

  it('2AU.01.07: identify each customer of a shared address by their own passcode', async () => {
    const platform = await platformOnEachEngine()
    const { browser, thirdParty, started } = await openFlow(platform)
    await browser.submit('identify', { email: 'couple@example.com' })
    const ben = platform.passcodes.findLast(({ name }) => name === 'Ben')
    assert.equal(
      platform.passcodes.findLast(({ name }) => name === 'Cara')?.phoneNumber,
      '+61400000008',
    )

    await browser.submit('passcode', { passcode: ben?.passcode ?? '' })
    assert.match(browser.page.text, /Of Ben/)
    await browser.submit('accounts', { account: 'a3' })
    const callback = await browser.submit('confirm')

    const tokens = await thirdParty.exchange(callback ?? new URL(issuer), started)
    const id = String(tokens['cdr_arrangement_id'])
    const found = await platform.store.arrangements.find(id, Temporal.Now.instant())
    assert.equal(found?.customerId, 'c2')
    assert.equal(tokens.refresh_token, undefined, 'shared once')
  })

  it('offer the accounts that were asked for, none selected, and explain the others', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)
    await browser.submit('identify', { email })
    const { passcode = '' } = platform.passcodes.findLast(({ name }) => name === 'Ana Silva') ?? {}
    await browser.submit('passcode', { passcode })

    assert.doesNotMatch(browser.page.text, / checked/)
    assert.match(browser.page.text, /Cannot be shared.*Home power/s)
    await browser.submit('accounts')
    assert.match(browser.page.text, /Select at least one account/)
    await browser.submit('select-all')
    assert.equal(browser.page.text.match(/ checked/g)?.length, 2)
    await browser.submit('accounts')
    assert.match(browser.page.text, /Share your data with Example Budget\?.*Everyday.*Holiday/s)
    assert.match(browser.page.text, /How to stop sharing/)
    await browser.submit('back')
    assert.equal(browser.page.text.match(/ checked/g)?.length, 2)
  })

  it('return to the third party with access_denied from every step', async () => {
    const platform = await platformOnEachEngine()
    const steps = [
      async () => {},
      async (browser: ReturnType<typeof openBrowser>) =>
        void (await browser.submit('identify', { email: nextCustomer().email })),
      async (browser: ReturnType<typeof openBrowser>) => void (await identify(browser, platform)),
    ]
    for (const walk of steps) {
      const { browser, started } = await openFlow(platform)
      await walk(browser)

      const target = await browser.submit('cancel')

      assert.equal(target?.origin, 'https://budget.example')
      assert.equal(target?.searchParams.get('error'), 'access_denied')
      assert.equal(target?.searchParams.get('state'), started.state)
    }
  })

  it('return a signed error to a third party of the profile cds', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform, 'cds')
    const started = await thirdParty.start(cdsClaims(0))
    const browser = platform.browse()
    await browser.open(started.url)

    const target = await browser.submit('cancel')

    await assert.rejects(thirdParty.exchange(target ?? new URL(issuer), started), {
      error: 'access_denied',
    })
  })

  it('can be continued in another process', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform)
    const started = await thirdParty.start()
    const browser = openBrowser(issuer, platform.port, await platform.openAnother())

    await browser.open(started.url)
    const tokens = await thirdParty.exchange(await agree(browser, platform), started)

    assert.ok(tokens.access_token)
  })

  it('make one arrangement if the customer confirms twice', async () => {
    const platform = await platformOnEachEngine()
    const { browser, thirdParty } = await openFlow(platform)
    const customer = await identify(browser, platform)
    await browser.submit('accounts', { account: customer.accounts })
    const form = readForm(browser.page.text, 'confirm', {})

    const answers = [
      await browser.post(browser.page.url, form),
      await browser.post(browser.page.url, form),
    ]

    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303],
    )
    const query = { thirdPartyId: thirdParty.id, limit: 10 }
    const list = await platform.store.arrangements.list(query, Temporal.Now.instant())
    assert.deepEqual(
      list.map(({ accountIds }) => accountIds),
      [customer.accounts],
    )
  })

  it('leave no personal data and no secret in the log', async () => {
    const platform = await platformOnEachEngine()
    const log = platform.log.join('')

    assert.ok(log.includes('"operation":"consent-page"'))
    assert.ok(log.includes('"operation":"openid"'))
    for (const { passcode, phoneNumber, name } of platform.passcodes) {
      for (const text of [`"${passcode}"`, phoneNumber, name]) assert.ok(!log.includes(text), text)
    }
    assert.doesNotMatch(log, /example\.com|holdfast_|request_uri|eyJ/)
  })
})
