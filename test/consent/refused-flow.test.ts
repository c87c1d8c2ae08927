import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as openid from 'openid-client'
import { describe, describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { until } from '../support/until.ts'
import type { Browser } from './browser.ts'
import {
  agree,
  type ConsentPlatform,
  findPasscode,
  identify,
  issuer,
  nextCustomer,
  openConsentPlatform,
  type TestCustomer,
} from './platform.ts'
import { cdsClaims, readUserInfo, registerThirdParty, type TestThirdParty } from './third-party.ts'

const platformOnEachEngine = shareOnEachEngine(openConsentPlatform)
const profiles = ['plain', 'cds'] as const

const refusal = /Demo Bank cannot share your data at the moment/

async function openFlow(
  platform: ConsentPlatform,
  thirdParty: TestThirdParty,
  parameters: Record<string, string> = cdsClaims(86_400),
) {
  const started = await thirdParty.start(parameters)
  const browser = platform.browse()
  await browser.open(started.url)
  return { started, browser }
}

/** Enters e-mail and passcode. */
async function authenticate(
  browser: Browser,
  { passcodes }: ConsentPlatform,
  { id, email }: TestCustomer,
): Promise<void> {
  await browser.submit('identify', { email })
  await browser.submit('passcode', { passcode: findPasscode(passcodes, id) })
}

const countConsents = async ({ store }: ConsentPlatform, customerId: string) =>
  (await store.arrangements.list({ customerId, limit: 10 }, Temporal.Now.instant())).length

const findAccounts = async ({ store }: ConsentPlatform, id: unknown) =>
  (await store.arrangements.find(String(id), Temporal.Now.instant()))?.accountIds

describe('a customer whose data the provider refuses to share', () => {
  for (const profile of profiles) {
    it(`gets a page that does not say why, and returns to the third party with the profile ${profile}`, async () => {
      const platform = await platformOnEachEngine()
      const thirdParty = await registerThirdParty(platform, profile)
      const pages: string[] = []
      for (const reason of ['blocked', 'suspended', 'harm'] as const) {
        const customer = nextCustomer()
        await platform.restrictions.set({ customerId: customer.id }, reason)
        const { started, browser } = await openFlow(platform, thirdParty)

        await authenticate(browser, platform, customer)

        assert.equal(browser.page.status, 403)
        assert.match(browser.page.text, refusal)
        assert.match(browser.page.text, /For help, contact Demo Bank and name this reference/)
        pages.push(browser.page.text.replaceAll(/<code>.*<\/code>|name="token" value="[^"]+"/g, ''))
        const callback = (await browser.submit('leave')) ?? assert.fail(browser.page.text)
        await assert.rejects(thirdParty.exchange(callback, started), { error: 'access_denied' })
        assert.equal(await countConsents(platform, customer.id), 0)
      }
      assert.equal(new Set(pages).size, 1)
      assert.doesNotMatch(pages.join(), /blocked|suspend|harm|restrict|refus|safe/i)
    })
  }

  it('is recorded as the reason of the failed flow', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform)
    const customer = nextCustomer()
    await platform.restrictions.set({ customerId: customer.id }, 'blocked')
    const { browser } = await openFlow(platform, thirdParty)
    await authenticate(browser, platform, customer)
    await browser.submit('leave')

    await until(async () => {
      const found = await platform.store.flows.list({ limit: 100 }, Temporal.Now.instant())
      const flow = found.find(({ thirdPartyId }) => thirdPartyId === thirdParty.id)
      const reasons = flow?.steps.map(({ step, reason }) => `${step} ${reason}`) ?? []
      const count = reasons.filter((each) => each === 'accounts sharing_refused').length
      return flow?.state === 'failed' && count === 2
    })
  })

  it('can agree once that has ended, on the same page', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform)
    const customer = nextCustomer()
    await platform.restrictions.set({ customerId: customer.id }, 'suspended')
    const { started, browser } = await openFlow(platform, thirdParty)
    await authenticate(browser, platform, customer)
    assert.match(browser.page.text, refusal)

    await platform.restrictions.end({ customerId: customer.id })
    await browser.open(browser.page.url)
    await browser.submit('accounts', { account: customer.accounts })
    const callback = (await browser.submit('confirm')) ?? assert.fail(browser.page.text)

    const tokens = await thirdParty.exchange(callback, started)
    assert.deepEqual(await findAccounts(platform, tokens['cdr_arrangement_id']), customer.accounts)
  })

  for (const [name, scope] of [
    ['accounts', 'openid bank:accounts.basic:read'],
    ['no account', 'openid profile'],
  ]) {
    it(`cannot confirm a consent with ${name}`, async () => {
      const platform = await platformOnEachEngine()
      const thirdParty = await registerThirdParty(platform)
      const customer = nextCustomer()
      const { started, browser } = await openFlow(platform, thirdParty, { scope: String(scope) })
      await authenticate(browser, platform, customer)
      if (name === 'accounts') await browser.submit('accounts', { account: customer.accounts })
      assert.match(browser.page.text, /Share your data with/)
      await platform.restrictions.set({ customerId: customer.id }, 'harm')

      await browser.submit('confirm')

      assert.match(browser.page.text, refusal)
      const callback = (await browser.submit('leave')) ?? assert.fail(browser.page.text)
      await assert.rejects(thirdParty.exchange(callback, started), { error: 'access_denied' })
      assert.equal(await countConsents(platform, customer.id), 0)
    })
  }

  it('has valid tokens, and UserInfo returns an error until that has ended', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform)
    const customer = nextCustomer()
    const { started, browser } = await openFlow(platform, thirdParty)
    const callback = await agree(browser, platform, customer)
    await platform.restrictions.set({ customerId: customer.id }, 'blocked')

    const tokens = await thirdParty.exchange(callback, started)

    const readInfo = () => readUserInfo(thirdParty, tokens)
    await assert.rejects(readInfo(), (error) => {
      assert.ok(error instanceof openid.WWWAuthenticateChallengeError)
      assert.equal(error.status, 403)
      return error.cause.some(({ parameters }) => parameters.error === 'access_denied')
    })
    await platform.restrictions.end({ customerId: customer.id })
    assert.equal((await readInfo()).email, customer.email)
  })

  it('sees consents and withdraws them', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform)
    const customer = nextCustomer()
    const { started, browser: flow } = await openFlow(platform, thirdParty)
    const tokens = await thirdParty.exchange(await agree(flow, platform, customer), started)
    const id = String(tokens['cdr_arrangement_id'])
    await platform.restrictions.set({ customerId: customer.id }, 'harm')

    const browser = platform.browse()
    await browser.open(`${issuer}/consents`)
    platform.pass(60)
    await authenticate(browser, platform, customer)
    platform.pass(-60)
    assert.match(browser.page.text, /Your data sharing at Demo Bank/)
    await browser.open(`${issuer}/consents/${id}`)
    assert.match(browser.page.text, /One account\. Their names cannot be shown at the moment/)
    await browser.open(`${issuer}/consents/${id}/stop`)
    await browser.submit('withdraw')

    assert.match(browser.page.text, /You stopped sharing/)
  })
})

describe('an account that is restricted between its choice and the confirmation', () => {
  for (const profile of profiles) {
    it(`has to be replaced by another choice, for the profile ${profile}`, async () => {
      const platform = await platformOnEachEngine()
      const thirdParty = await registerThirdParty(platform, profile)
      const { started, browser } = await openFlow(platform, thirdParty)
      const { id, accounts } = await identify(browser, platform)
      await browser.submit('accounts', { account: accounts })
      assert.match(browser.page.text, /Everyday.*Holiday/s)
      await platform.restrictions.set({ accountId: accounts[0] }, 'blocked')

      await browser.submit('confirm')

      assert.equal(browser.page.status, 422)
      assert.match(browser.page.text, /An account that you chose can no longer be shared/)
      assert.doesNotMatch(browser.page.text, /Everyday/)
      assert.match(browser.page.text, /checked>\s*<span>Holiday/)
      assert.equal(await countConsents(platform, id), 0)
      await browser.submit('accounts', { account: accounts[1] })
      const callback = (await browser.submit('confirm')) ?? assert.fail(browser.page.text)
      const tokens = await thirdParty.exchange(callback, started)
      assert.deepEqual(await findAccounts(platform, tokens['cdr_arrangement_id']), [accounts[1]])
    })
  }
})

describe('an account of a consent that is amended while it is restricted', () => {
  for (const profile of profiles) {
    it(`stays in the consent, and is shared again later, for the profile ${profile}`, async () => {
      const platform = await platformOnEachEngine()
      const thirdParty = await registerThirdParty(platform, profile)
      const first = await openFlow(platform, thirdParty)
      const { accounts, ...customer } = await identify(first.browser, platform)
      await first.browser.submit('accounts', { account: accounts[0] })
      const earlier = (await first.browser.submit('confirm')) ?? assert.fail()
      const tokens = await thirdParty.exchange(earlier, first.started)
      const id = String(tokens['cdr_arrangement_id'])
      const claims = { ...JSON.parse(cdsClaims(86_400).claims), cdr_arrangement_id: id }
      await platform.restrictions.set({ accountId: accounts[0] }, 'suspended')

      for (const chosen of [[], [accounts[1]]]) {
        const { started, browser } = await openFlow(platform, thirdParty, {
          claims: JSON.stringify(claims),
        })
        platform.pass(60)
        await authenticate(browser, platform, { ...customer, accounts })
        platform.pass(-60)
        assert.match(
          browser.page.text,
          /One account that you agreed to share with Example Budget before/,
        )
        assert.match(
          browser.page.text,
          /One account without a name at the moment: Demo Bank cannot share it at the moment\./,
        )
        await browser.submit('accounts', { account: chosen })
        assert.match(browser.page.text, /<li>One account, not available now<\/li>/)
        const callback = (await browser.submit('confirm')) ?? assert.fail(browser.page.text)
        const amended = await thirdParty.exchange(callback, started)
        assert.equal(amended['cdr_arrangement_id'], id)
        assert.deepEqual(await findAccounts(platform, id), [...chosen, accounts[0]])
      }
    })
  }
})

describeOnce('a first consent', () => {
  it('does not mention accounts that stay in it', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform)
    const { browser } = await openFlow(platform, thirdParty)
    const customer = nextCustomer()
    await platform.restrictions.set({ accountId: customer.accounts[0] }, 'blocked')

    await identify(browser, platform, customer)

    assert.doesNotMatch(browser.page.text, /Everyday|not available now/i)
    await browser.submit('accounts')
    assert.match(browser.page.text, /Select at least one account/)
  })
})
