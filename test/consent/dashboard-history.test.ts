import assert from 'node:assert/strict'
import { it } from 'node:test'
import { listedBlocksMax } from '../../src/platform/consent/customer-records.ts'
import { csvCopy, formatCopy, openHtmlCopy } from '../../src/platform/consent/records-copy.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { bankingAccount } from '../support/lines.ts'
import { openTokens } from './back-office.ts'
import { addConsent, openDashboard, openPage, readText } from './dashboard-consents.ts'
import { disclose, discloseRecords, discloseUnsent } from './disclose.ts'
import { issuer, nextCustomer, signInToConsents } from './platform.ts'

const platformOnEachEngine = shareOnEachEngine(openDashboard)

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

  it('5CM1.04.05 (f), rule 7.9, 4CM1.01.27: shows what was disclosed, and when first and last', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const id = await addConsent(platform, customer)
    const { store } = platform
    const browser = await openPage(platform, customer, id)
    assert.match(readText(browser), /Example Budget has not received data yet/)

    const record = async (time: string) => {
      await disclose(store, id, 'bank:transactions:read', Temporal.Instant.from(time))
      await browser.open(`${issuer}/consents/${id}`)
    }
    await record('2026-03-01T10:00:00Z')
    assert.match(readText(browser), /Transaction details On 1 March 2026, 10:00 am \(UTC\)/)
    await record('2026-03-09T11:30:00Z')

    assert.match(
      readText(browser),
      /What Example Budget received Transaction details First 1 March 2026, 10:00 am \(UTC\) , last 9 March 2026, 11:30 am \(UTC\)/,
    )
    const later = Temporal.Instant.from('2026-03-10T00:00:00Z')
    await disclose(store, id, 'bank:accounts.basic:read', later)
    await browser.open(`${issuer}/consents`)
    assert.match(
      readText(browser),
      /Last received: Account name, type and balance, 10 March 2026, 12:00 am \(UTC\)/,
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

  it('Data recipient handling details: advises to ask the third party how it handles the data', async () => {
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

    const lines = [...text.matchAll(/((?:\d|One) accounts?: .*?) Agreed on (.*?\))/g)]
    assert.deepEqual(
      lines.map(([, accounts]) => accounts),
      ['One account: Everyday', '2 accounts: Everyday; Holiday'],
    )
    assert.notEqual(lines[0]?.[2], lines[1]?.[2])
  })

  it('names three accounts of each consent in the list, with their numbers', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const ids = ['1', '2', '3', '4', '5'].map((number) => `${customer.id}-many-${number}`)
    await platform.provider.load(
      ids.map((id, index) =>
        bankingAccount(
          id,
          { [customer.id]: true },
          {
            displayName: 'Everyday',
            maskedNumber: `xxxx ${index}`,
          },
        ),
      ),
    )
    await addConsent(platform, customer, { accountIds: ids })

    assert.match(
      readText(await signInToConsents(platform, customer)),
      /5 accounts: Everyday xxxx 0; Everyday xxxx 1; Everyday xxxx 2; and 2 more Agreed on/,
    )
  })

  it('describes the data of an organisation in its words', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const company = {
      displayName: 'Everyday',
      complexAccountType: 'ORGANISATION',
      users: [{ id: 1, isAccountHolder: true }],
    }
    await platform.provider.load(
      customer.accounts.map((id) => bankingAccount(id, { [customer.id]: true }, company)),
    )
    const scopes = ['openid', 'common:customer.basic:read', 'bank:accounts.basic:read']
    const id = await addConsent(platform, customer, { scopes })

    const browser = await signInToConsents(platform, customer)
    assert.match(readText(browser), /Organisation profile · Account name/)
    for (const path of ['', '/stop']) {
      await browser.open(`${issuer}/consents/${id}${path}`)
      assert.match(readText(browser), /Organisation profile Agent name and role/)
    }
  })

  it('5CM1.00.30, 5CM1.04.19: leads to the end of a sharing in three steps', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const id = await addConsent(platform, customer)
    const browser = await signInToConsents(platform, customer)
    assert.ok(browser.page.text.includes(`href="/consents/${id}"`))

    await browser.open(`${issuer}/consents/${id}`)
    assert.ok(browser.page.text.includes(`action="/consents/${id}/stop"`))
    await browser.open(`${issuer}/consents/${id}/stop`)
    await browser.submit('withdraw')

    assert.match(readText(browser), /You stopped sharing/)
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
    const platform = await openDashboard(t)
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

describe('the records of a customer', () => {
  const at = (day: string) => Temporal.Instant.from(`2026-03-${day}T10:00:00Z`)

  it('rule 9.5: show each time that data was asked for, newest first, and can be saved', async () => {
    const platform = await platformOnEachEngine()
    const [customer, other] = [nextCustomer(), nextCustomer()]
    const { id: customerId, accounts } = customer
    const given = { customerId, thirdPartyId: 'tp', accountIds: accounts, count: 25 }
    const window = { oldest: '2026-01-01T00:00:00Z', newest: '2026-03-01T00:00:00Z' }
    await discloseRecords(platform.store, at('01'), { ...given, ...window })
    const refused = { ...given, status: 404, scopes: [], accountIds: [], count: 0 }
    await discloseRecords(
      platform.store,
      at('02'),
      { ...refused, operation: 'cds-balance', error: 'accountUnavailable' },
      { ...given, customerId: other.id },
    )
    const browser = await signInToConsents(platform, customer)

    await browser.open(`${issuer}/consents/records`)
    const text = readText(browser)
    await browser.open(`${issuer}/consents/records.csv`)
    const rows = browser.page.text.trimEnd().split('\r\n')
    await browser.open(`${issuer}/consents/records.html`)
    const printed = readText(browser)

    assert.match(
      printed,
      /Example Budget Transaction details Shared 25 Everyday; Holiday .*Nothing was shared: it cannot be shared at the moment 0/,
    )
    assert.match(
      text,
      /Example Budget 2 March 2026, 10:00 am \(UTC\) Asked for: Account name, type and balance\. Nothing was shared: it cannot be shared at the moment\. Example Budget 1 March 2026, 10:00 am \(UTC\) Received: Transaction details 25 records of Everyday; Holiday, from 1 January 2026 to 1 March 2026/,
    )
    assert.equal(text.split('Example Budget').length - 1, 2)
    assert.equal(rows.length, 3)
    assert.match(rows[0] ?? '', /^Time,Service,Data,Result,Records,Accounts,From,To$/)
    assert.match(
      rows[1] ?? '',
      /^2026-03-01T10:00:00\+00:00\[UTC\],Example Budget,Transaction details,Shared,25,Everyday; Holiday,2026-01-01T00:00:00Z,2026-03-01T00:00:00Z$/,
    )
    assert.match(rows[2] ?? '', /,Nothing was shared: it cannot be shared at the moment,0,,,$/)
  })

  it('say of an answer that was not sent that nothing was shared', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const record = { customerId: customer.id, thirdPartyId: 'tp', count: 25 }
    await discloseUnsent(platform.store, at('07'), record, { ...record, count: 3 })
    const browser = await signInToConsents(platform, customer)

    await browser.open(`${issuer}/consents/records`)
    const text = readText(browser)
    await browser.open(`${issuer}/consents/records.csv`)
    const [, unsent, sent] = browser.page.text.trimEnd().split('\r\n')

    assert.match(
      text,
      /Received: Transaction details 3 records .*Asked for: Transaction details\. Nothing was shared: it was not available\./,
    )
    assert.doesNotMatch(text, /25 records/)
    assert.match(unsent ?? '', /,Nothing was shared: it was not available,0,,,$/)
    assert.match(sent ?? '', /,Shared,3,/)
  })

  it('have pages that continue each other, also if the link is wrong', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    for (let index = 0; index < 51; index += 1) {
      const time = at('05').add({ minutes: index })
      const record = { customerId: customer.id, thirdPartyId: 'tp', count: index }
      await discloseRecords(platform.store, time, record)
    }
    const browser = await signInToConsents(platform, customer)

    await browser.open(`${issuer}/consents/records`)
    const first = readText(browser)
    const [, earlier = ''] = /href="([^"]*before=[^"]*)"/.exec(browser.page.text) ?? []
    await browser.open(`${issuer}${earlier}`)
    const second = readText(browser)
    await browser.open(`${issuer}/consents/records?before=nonsense`)
    const wrong = readText(browser)

    assert.equal(first.match(/Received/g)?.length, 50)
    assert.match(first, / 50 records.* 1 record /)
    assert.match(second, /Received: Transaction details 0 records/)
    assert.doesNotMatch(second, /Earlier/)
    assert.equal(wrong, first)
  })

  it('are in the API as in the files that the customer saves, for clients with the scope consent.read', async (t) => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const given = { customerId: customer.id, thirdPartyId: 'tp', accountIds: customer.accounts }
    for (let index = 0; index <= listedBlocksMax; index += 1)
      await discloseRecords(platform.store, at('04').add({ minutes: index }), given)
    const refused = { ...given, status: 404, error: 'accountUnavailable', isRefusal: true }
    await discloseRecords(platform.store, at('06'), { ...given, count: 3 }, refused)
    const issueToken = await openTokens(t, platform)
    const token = await issueToken('consent.read')
    const readWith = (token: string, path: string) =>
      send(platform.port, path, { headers: { authorization: `Bearer ${token}` } })
    const read = (path: string) => readWith(token, path)
    const path = `/v1/customers/${customer.id}/records`

    const first = await read(path)
    const second = await read(`${path}?cursor=${first.body.next}`)
    const browser = await signInToConsents(platform, customer)

    const records = [...first.body.data, ...second.body.data].reverse()
    for (const [path, copy] of [
      ['/consents/records.csv', csvCopy],
      ['/consents/records.html', openHtmlCopy(customer.id)],
    ] as const) {
      await browser.open(`${issuer}${path}`)
      assert.equal(browser.page.text, formatCopy(copy, records))
    }
    assert.equal(records.length, listedBlocksMax + 3)
    assert.equal(second.body.next, undefined)
    assert.deepEqual((await read('/v1/customers/unknown/records')).body, { data: [] })
    assert.equal((await read(`${path}?cursor=nonsense`)).status, 400)
    assert.equal((await readWith(await issueToken('operations.read'), path)).status, 403)
  })

  it('are shown to the customer alone', async () => {
    const platform = await platformOnEachEngine()
    const browser = platform.browse()

    for (const name of ['records', 'records.csv', 'records.html']) {
      await browser.open(`${issuer}/consents/${name}`)
      assert.match(readText(browser), /See who you share data with/)
    }
  })
})
