import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { energyAccount } from '../support/lines.ts'
import {
  addCustomer,
  chooseAccounts,
  findChoice,
  hideAccounts,
  makeAccount,
  openFlow,
  readText,
  signIn,
} from './choose-accounts.ts'
import { identify, issuer, openConsentPlatform } from './platform.ts'
import { cdsClaims, registerThirdParty } from './third-party.ts'

const platformOnEachEngine = shareOnEachEngine((scope) =>
  openConsentPlatform(scope, { prepare: hideAccounts }),
)

describe('the choice of accounts', () => {
  it('Account selection, 3AU1.01.13: tells accounts of one name apart, and shows the chosen ones before the agreement', async () => {
    const platform = await platformOnEachEngine()
    const { browser, customer: of } = await chooseAccounts(platform, (id) => [
      makeAccount(id, '1111'),
      makeAccount(id, '2222'),
    ])

    assert.match(findChoice(browser, `${of.id}-1111`), /Everyday.*Smart Saver · xxxx 1111/)
    assert.match(findChoice(browser, `${of.id}-2222`), /Everyday.*Smart Saver · xxxx 2222/)
    await browser.submit('accounts', { account: `${of.id}-2222` })
    assert.match(readText(browser), /Everyday Smart Saver · xxxx 2222/)
    assert.doesNotMatch(readText(browser), /1111/)
  })

  it('marks closed accounts, and selects them with no other', async () => {
    const platform = await platformOnEachEngine()
    const { browser, customer: of } = await chooseAccounts(platform, (id) => [
      makeAccount(id, '1111'),
      makeAccount(id, '2222', { openStatus: 'CLOSED' }),
    ])

    assert.match(findChoice(browser, `${of.id}-2222`), /xxxx 2222 · Closed/)
    assert.doesNotMatch(findChoice(browser, `${of.id}-1111`), /Closed/)
    await browser.submit('select-all')

    assert.match(findChoice(browser, `${of.id}-1111`), / checked/)
    assert.doesNotMatch(findChoice(browser, `${of.id}-2222`), / checked/)
    await browser.submit('accounts', { account: `${of.id}-2222` })
    assert.match(readText(browser), /Share your data with .*xxxx 2222 · Closed/)
  })

  it('Unavailable accounts: says why an account cannot be shared', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await chooseAccounts(platform, (id) => [
      makeAccount(id, '1111'),
      makeAccount(id, '3333-hidden', { openStatus: 'CLOSED' }),
      makeAccount(id, '4444-hidden'),
      energyAccount(`${id}-e`, [id], { displayName: 'Home power', accountNumber: 'EN-5555' }),
    ])

    const text = readText(browser)
    assert.match(text, /does not ask for data of these accounts\. Home power EN-5555/)
    assert.match(text, /Closed: Demo Bank does not share these accounts any more\. .*xxxx 3333/)
    assert.match(text, /Demo Bank cannot share these accounts now\. .*xxxx 4444/)
    assert.doesNotMatch(browser.page.text, /value="[^"]*-hidden"/)
  })

  it('accepts no account that cannot be shared', async () => {
    const platform = await platformOnEachEngine()
    const { browser, customer: of } = await chooseAccounts(platform, (id) => [
      makeAccount(id, '1111'),
      makeAccount(id, '4444-hidden'),
    ])

    await browser.submit('accounts', { account: `${of.id}-4444-hidden` })

    assert.equal(browser.page.status, 422)
    assert.match(browser.page.text, /Select accounts from the list/)
  })

  for (const profile of ['plain', 'cds'] as const) {
    it(`explains that a customer has no account, and returns to a third party of the profile ${profile}`, async () => {
      const platform = await platformOnEachEngine()
      const { thirdParty, started, browser } = await chooseAccounts(
        platform,
        (id) => [energyAccount(`${id}-e`, [id], { displayName: 'Home power' })],
        { profile },
      )

      assert.match(browser.page.text, /You have no account to share/)
      assert.match(readText(browser), /does not ask for data of these accounts\. Home power/)
      const target = (await browser.submit('no-accounts')) ?? assert.fail(browser.page.text)

      await assert.rejects(thirdParty.exchange(target, started), { error: 'access_denied' })
    })
  }
})

describe('an amendment', () => {
  it('rule 4.22A, 3AU1.02.15: preselects accounts that are still open, and marks what changes', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform, 'plain', {
      scopes: ['openid', 'email', 'phone', 'bank:accounts.basic:read', 'bank:transactions:read'],
    })
    const of = await addCustomer(platform, (id) => [
      makeAccount(id, '1111'),
      makeAccount(id, '2222'),
      makeAccount(id, '3333'),
    ])
    const of2 = `${of.id}-2222`
    const begun = await openFlow(platform, thirdParty, {
      ...cdsClaims(86_400),
      scope: 'openid email bank:accounts.basic:read',
    })
    await signIn(begun.browser, platform, of)
    await begun.browser.submit('accounts', { account: [`${of.id}-1111`, of2] })
    assert.doesNotMatch(begun.browser.page.text, /class="change"|Until now/)
    const callback = (await begun.browser.submit('confirm')) ?? assert.fail()
    const tokens = await thirdParty.exchange(callback, begun.started)
    const id = String(tokens['cdr_arrangement_id'])
    await platform.provider.load([makeAccount(of.id, '2222', { openStatus: 'CLOSED' })])
    platform.pass(60)

    const claims = { ...JSON.parse(cdsClaims(172_800).claims), cdr_arrangement_id: id }
    const { browser } = await openFlow(platform, thirdParty, {
      claims: JSON.stringify(claims),
      scope: 'openid email phone bank:accounts.basic:read bank:transactions:read',
    })
    await signIn(browser, platform, of)

    assert.match(
      findChoice(browser, `${of.id}-1111`),
      / checked.*Shared with Example Budget until now/s,
    )
    assert.doesNotMatch(findChoice(browser, of2), / checked/)
    assert.match(findChoice(browser, of2), /Closed.*until now/s)
    assert.doesNotMatch(findChoice(browser, `${of.id}-3333`), / checked|until now/)
    await browser.submit('accounts', { account: [`${of.id}-1111`, `${of.id}-3333`] })
    const text = readText(browser)
    assert.match(text, /xxxx 1111 (?!New).*xxxx 3333 New/)
    assert.match(text, /Changed No longer shared: one account\./)
    assert.match(text, /Transaction details New /)
    assert.match(text, /Contact details Phone number New Email address/)
    assert.doesNotMatch(text, /balance New/)
    assert.match(text, /Changed Until now, you agreed to share until/)
    platform.pass(-60)
  })
})

describe('an error', () => {
  it('is at its field and in a summary, and disappears once the field is correct', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform, await registerThirdParty(platform))
    await browser.submit('identify', { email: 'ana' })
    assert.match(browser.page.text, /<main class="correctable">/)
    assert.match(
      browser.page.text,
      /href="#email">.*id="email-error".*aria-describedby="email-error"/s,
    )

    await browser.submit('identify', { email: 'ana@unknown.example' })
    await browser.submit('resend')

    assert.equal(browser.page.status, 429)
    assert.match(browser.page.text, /<main>/)
    await browser.submit('passcode', { passcode: '12' })
    assert.match(browser.page.text, /<main class="correctable">.*id="passcode-error"/s)
    await browser.open(`${issuer}/consents`)
    await browser.submit('identify', { email: 'ana' })
    assert.match(browser.page.text, /<main class="correctable">.*id="email-error"/s)
  })

  it('that the browser cannot check stays', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform, await registerThirdParty(platform))
    const of = await identify(browser, platform)
    await browser.submit('accounts', { account: of.accounts })
    const [first] = of.accounts
    await platform.restrictions.set({ accountId: first }, 'blocked')

    await browser.submit('confirm')

    assert.match(browser.page.text, /<main>.*can no longer be shared/s)
    await browser.submit('accounts', { account: [] })
    assert.match(browser.page.text, /<main class="correctable">.*Select at least one account/s)
  })
})
