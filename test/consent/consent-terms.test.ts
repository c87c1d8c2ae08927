import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import {
  addCustomer,
  chooseAccounts,
  findChoice,
  makeAccount,
  openFlow,
  readText,
} from './choose-accounts.ts'
import { findPasscode, issuer, openConsentPlatform } from './platform.ts'
import { cdsClaims, registerThirdParty } from './third-party.ts'

const platformOnEachEngine = shareOnEachEngine(openConsentPlatform)

describe('the pages of a consent', () => {
  it('2AU.00.31: say that third parties need no passwords', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform, await registerThirdParty(platform))
    const statement = /No service needs your password to get the data/

    assert.match(readText(browser), statement)
    await browser.open(`${issuer}/consents`)
    assert.match(readText(browser), statement)
  })

  it('2AU.00.02, 2AU.03.05: say how long the code is valid, and link nowhere for forgotten details', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform, await registerThirdParty(platform))
    const { email } = await addCustomer(platform)
    assert.doesNotMatch(browser.page.text, /<a |forgot/i)

    await browser.submit('identify', { email })

    assert.match(readText(browser), /valid for 5 minutes, until \d+:\d\d:\d\d [ap]m \(UTC\)/)
    assert.doesNotMatch(browser.page.text, /<a |forgot/i)
  })

  it('2AU.03.08: send a code of digits, which nothing else accepts', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform, await registerThirdParty(platform))
    const { id, email } = await addCustomer(platform)
    await browser.submit('identify', { email })
    const passcode = findPasscode(platform.passcodes, id)
    assert.match(passcode, /^\d{6}$/)
    const other = platform.browse()
    await other.open(`${issuer}/consents`)

    await other.submit('identify', { email })
    const ofDashboard = findPasscode(platform.passcodes, id)
    if (ofDashboard !== passcode) await other.submit('passcode', { passcode })
    await browser.submit('passcode', { passcode })

    assert.doesNotMatch(other.page.text, /Sign out/)
    assert.match(browser.page.text, /You have no account to share/)
  })

  it('3AU.00.02, 2AU.00.22, 2AU.00.27: ask for nothing but the address, the code, the accounts and the agreement', async () => {
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

  it('3AU.02.04, 3AU.02.17: say how far back the data goes', async () => {
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

  it('3AU.02.04: say that there are no earlier records if none are asked for', async () => {
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
    const threeYears = await thirdParty.start(cdsClaims(3 * 365 * 86_400))
    await browser.open(threeYears.url)
    const year = Temporal.Now.instant()
      .add({ hours: 365 * 24 })
      .toZonedDateTimeISO('UTC').year
    assert.match(readText(browser), new RegExp(`How long Until \\d+ \\w+ ${year},`))
  })

  it('Contextual alert: say for joint accounts alone that other owners may be notified', async () => {
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

  for (const profile of ['plain', 'cds'] as const) {
    it(`rule 4.23, 3AU.00.01, 3AU.02.03: show everything before the agreement to a third party of the profile ${profile}`, async () => {
      const platform = await platformOnEachEngine()
      const {
        browser,
        customer: of,
        thirdParty,
      } = await chooseAccounts(platform, (id) => [makeAccount(id, '1'), makeAccount(id, '2')], {
        profile,
      })
      await browser.submit('accounts', { account: of.accounts })

      const { text } = browser.page
      assert.doesNotMatch(text, /<details>/)
      assert.equal(text.match(/<details open>/g)?.length, 4)
      const read = readText(browser)
      assert.ok(read.includes(`Registered at Demo Bank as ${thirdParty.id}`))
      assert.match(read, /xxxx 1.*xxxx 2/)
      assert.match(read, /Share your data with Example Budget\?/)
      assert.match(
        read,
        /What it is used for Demo Bank does not know\. Ask Example Budget what it uses/,
      )
      assert.ok(text.includes(`href="${issuer}/consents"`))
    })
  }

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
