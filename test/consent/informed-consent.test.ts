import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { HttpApp } from '../../src/http/app.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { bankingAccount, customer, energyAccount } from '../support/lines.ts'
import type { Line } from '../support/load.ts'
import type { Browser } from './browser.ts'
import {
  type ConsentPlatform,
  findPasscode,
  identify,
  issuer,
  openConsentPlatform,
  type TestCustomer,
} from './platform.ts'
import { cdsClaims, registerThirdParty, type TestThirdParty } from './third-party.ts'

/** C2 does not list accounts whose ID says so. */
function hideAccounts(app: HttpApp): void {
  app.addHook('onSend', async ({ routeOptions }, _reply, payload) => {
    if (routeOptions.config.operation?.ref !== 'C2') return payload
    const { accounts } = JSON.parse(String(payload))
    return JSON.stringify({
      accounts: accounts.filter(({ id }: { id: string }) => !id.endsWith('-hidden')),
    })
  })
}

const platformOnEachEngine = shareOnEachEngine((scope) =>
  openConsentPlatform(scope, { prepare: hideAccounts }),
)

let customerCount = 0

/** A customer of its own for each test: passcodes are limited. */
async function addCustomer(
  platform: ConsentPlatform,
  makeAccounts: (id: string) => readonly Line[] = () => [],
): Promise<TestCustomer> {
  customerCount += 1
  const id = `k${customerCount}`
  const email = `${id}@example.com`
  const record = { name: `Customer ${id}`, email, phoneNumber: '+61400000009' }
  await platform.provider.load([customer(id, record), ...makeAccounts(id)])
  return { id, email, accounts: [`${id}-1`, `${id}-2`] }
}

const savings = { productName: 'Smart Saver', productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS' }

function makeAccount(id: string, name: string, fields: Readonly<Record<string, unknown>> = {}) {
  const all = { displayName: 'Everyday', ...savings, maskedNumber: `xxxx ${name}`, ...fields }
  return bankingAccount(`${id}-${name}`, { [id]: true }, all)
}

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

/** Signs the customer in, however the next page looks. */
async function signIn(browser: Browser, platform: ConsentPlatform, { id, email }: TestCustomer) {
  await browser.submit('identify', { email })
  await browser.submit('passcode', { passcode: findPasscode(platform.passcodes, id) })
}

/** To the page with the accounts, of a new third party. */
async function chooseAccounts(
  platform: ConsentPlatform,
  makeAccounts: (id: string) => readonly Line[],
  fields: Parameters<typeof registerThirdParty>[2] = {},
) {
  const thirdParty = await registerThirdParty(platform, 'plain', fields)
  const scope = (fields.scopes ?? []).join(' ')
  const parameters = { ...cdsClaims(86_400), ...(scope !== '' && { scope }) }
  const { started, browser } = await openFlow(platform, thirdParty, parameters)
  const chosen = await addCustomer(platform, makeAccounts)
  await signIn(browser, platform, chosen)
  return { thirdParty, started, browser, customer: chosen }
}

/** Without tags, as a customer reads it. */
const readText = ({ page }: Browser) =>
  page.text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

/** The label of a choice by the account. */
const findChoice = ({ page }: Browser, id: string) =>
  page.text.split('<label').find((part) => part.includes(`value="${id}"`)) ?? ''

describe('the choice of accounts', () => {
  it('tells accounts of one name apart by number and product', async () => {
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

  it('says why an account cannot be shared', async () => {
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

  it('explains that a customer has no account, and returns to the third party', async () => {
    const platform = await platformOnEachEngine()
    const { thirdParty, started, browser } = await chooseAccounts(platform, (id) => [
      energyAccount(`${id}-e`, [id], { displayName: 'Home power' }),
    ])

    assert.match(browser.page.text, /You have no account to share/)
    assert.match(readText(browser), /does not ask for data of these accounts\. Home power/)
    const target = (await browser.submit('no-accounts')) ?? assert.fail(browser.page.text)

    await assert.rejects(thirdParty.exchange(target, started), { error: 'access_denied' })
  })
})

describe('an amendment', () => {
  it('skips the choice that was made, and marks what changes (CDR 4.22A)', async () => {
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
    await browser.submit('accounts')
    const text = readText(browser)
    assert.match(text, /Transaction details New /)
    assert.match(text, /Contact details Email address Phone number New /)
    assert.doesNotMatch(text, /balance New/)
    assert.match(text, /Changed Until now, you agreed to share until/)
    platform.pass(-60)
  })
})

describe('the pages of a consent', () => {
  it('2AU: say that third parties need no passwords', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform, await registerThirdParty(platform))

    assert.match(readText(browser), /No service needs your password to get the data/)
  })

  it('3AU: ask for nothing but the address, the code, the accounts and the agreement', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform, await registerThirdParty(platform))
    const of = await addCustomer(platform, (id) => [makeAccount(id, '1'), makeAccount(id, '2')])
    const fields = new Set<string | undefined>()
    const collect = () => {
      const found = browser.page.text.matchAll(/<(?:input|select|textarea)[^>]*? name="(\w+)"/g)
      for (const [, name] of found) fields.add(name)
    }
    collect()
    await browser.submit('identify', { email: of.email })
    collect()
    await browser.submit('passcode', { passcode: findPasscode(platform.passcodes, of.id) })
    collect()
    await browser.submit('accounts', { account: of.accounts })
    collect()

    assert.deepEqual([...fields], ['token', 'email', 'passcode', 'account', 'arrangement'])
  })

  it('3AU.02.17: say how far back the data goes', async () => {
    const platform = await platformOnEachEngine()
    const { browser, customer: of } = await chooseAccounts(platform, (id) => [
      makeAccount(id, '1', { creationDate: '2021-03-01T00:00:00Z' }),
      makeAccount(id, '2', { creationDate: '2019-05-06T00:00:00Z' }),
    ])
    await browser.submit('accounts', { account: of.accounts })

    assert.match(
      readText(browser),
      /How far back Also earlier records, such as transactions, as far back as Demo Bank has them\. The oldest of the accounts was opened on 6 May 2019/,
    )
    await browser.submit('back')
    await browser.submit('accounts', { account: of.accounts[0] })
    assert.match(readText(browser), /was opened on 1 March 2021/)
  })

  it('3AU.02.17: say that there are no earlier records if none are asked for', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform, await registerThirdParty(platform), {
      scope: 'openid bank:accounts.basic:read',
    })

    assert.match(readText(browser), /How far back No earlier records/)
  })

  it('3AU1.02.28: say whether data is shared once or until a time, with the name of its zone', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform)
    const { browser } = await openFlow(platform, thirdParty)

    assert.match(
      readText(browser),
      /How long Until \d+ \w+ \d{4}, \d+:\d\d [ap]m \(UTC\) ?\. You can stop at any time/,
    )
    await browser.open((await thirdParty.start()).url)
    assert.match(readText(browser), /How long Once\. Example Budget can read the data/)
  })

  it('3AU: say for joint accounts alone that other owners may be notified', async () => {
    const platform = await platformOnEachEngine()
    const joint = {
      accountOwnership: 'TWO_PARTY',
      users: [
        { id: 1, isAccountHolder: true },
        { id: 2, isAccountHolder: true },
      ],
    }
    const { browser, customer: of } = await chooseAccounts(platform, (id) => [
      makeAccount(id, '1', joint),
      makeAccount(id, '2'),
    ])

    const notice = /other owners of a joint account may be notified/
    assert.match(readText(browser), notice)
    assert.match(findChoice(browser, of.accounts[0]), /Joint account/)
    await browser.submit('accounts', { account: of.accounts[0] })
    assert.match(readText(browser), notice)
    await browser.submit('back')
    await browser.submit('accounts', { account: of.accounts[1] })
    assert.doesNotMatch(readText(browser), notice)
  })

  it('4.23: show everything before the agreement: who, what, which accounts, how to stop', async () => {
    const platform = await platformOnEachEngine()
    const {
      browser,
      customer: of,
      thirdParty,
    } = await chooseAccounts(platform, (id) => [makeAccount(id, '1'), makeAccount(id, '2')])
    await browser.submit('accounts', { account: of.accounts })

    const { text } = browser.page
    assert.doesNotMatch(text, /<details>/)
    assert.equal(text.match(/<details open>/g)?.length, 4)
    const read = readText(browser)
    assert.ok(read.includes(`registered at Demo Bank as ${thirdParty.id}`))
    assert.match(read, /xxxx 1.*xxxx 2/)
    assert.match(read, /Ask Example Budget what it uses the data for/)
    assert.ok(text.includes(`href="${issuer}/consents"`))
  })

  it('show the profile of an organisation if all accounts are of one', async () => {
    const platform = await platformOnEachEngine()
    const ofCompany = {
      complexAccountType: 'ORGANISATION',
      users: [{ id: 1, isAccountHolder: true }],
    }
    const scopes = ['openid', 'common:customer.detail:read', 'bank:accounts.basic:read']
    const { browser, customer: of } = await chooseAccounts(
      platform,
      (id) => [makeAccount(id, '1', ofCompany), makeAccount(id, '2')],
      { scopes },
    )

    await browser.submit('accounts', { account: of.accounts[0] })
    assert.match(readText(browser), /Organisation profile and contact details Agent name and role/)
    await browser.submit('back')
    await browser.submit('accounts', { account: of.accounts })
    assert.match(readText(browser), /Name, occupation, contact details Name Occupation/)
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
