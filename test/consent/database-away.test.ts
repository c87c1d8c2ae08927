import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as openid from 'openid-client'
import type { ConsentStore } from '../../src/consent/store.ts'
import { openConsentStore } from '../../src/storage/open.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import type { Browser } from './browser.ts'
import { assertUnavailablePage, checkUnavailable, insist } from './during-outage.ts'
import { type FailingDatabase, type Failure, openFailingDatabase } from './failing-database.ts'
import {
  agree,
  type ConsentPlatform,
  findPasscode,
  nextCustomer,
  openConsentPlatform,
  type TestCustomer,
} from './platform.ts'
import { registerThirdParty, type TestThirdParty } from './third-party.ts'

interface Setup {
  readonly platform: ConsentPlatform
  readonly database: FailingDatabase
  /** Is not affected by the failure. */
  readonly store: ConsentStore
  readonly thirdParty: TestThirdParty
}

const setUp = shareOnEachEngine(async (scope): Promise<Setup> => {
  const database = openFailingDatabase(scope)
  const platform = await openConsentPlatform(scope, database)
  const store = await openConsentStore(platform.database)
  scope.after(() => store.close())
  const thirdParty = await registerThirdParty(platform)
  checkUnavailable(thirdParty, platform.port)
  return { platform, database, store, thirdParty }
})

/** Walks to the third party as a customer who tries again when a page says so. */
async function agreeInsistently(
  { platform, database }: Setup,
  browser: Browser,
  url: URL,
  { id, email, accounts }: TestCustomer,
): Promise<URL> {
  let target = await browser.open(url)
  for (let requests = 0; target === undefined; requests += 1) {
    const { status, text, url: shown } = browser.page
    assert.ok(requests < 1000, text)
    if (status === 503) {
      assertUnavailablePage(browser.page)
      database.recover()
      target = await browser.open(shown)
    } else if (status === 429) {
      platform.pass(30)
      target = await browser.open(shown)
    } else {
      assert.equal(status, 200, text)
      if (/wants to see your data/.test(text)) target = await browser.submit('identify', { email })
      else if (/Choose the accounts/.test(text))
        target = await browser.submit('accounts', { account: accounts[0] })
      else if (/Share your data with/.test(text)) target = await browser.submit('confirm')
      else
        target = await browser.submit('passcode', {
          passcode: findPasscode(platform.passcodes, id),
        })
    }
  }
  return target
}

async function assertShared(
  { store, thirdParty }: Setup,
  customer: TestCustomer,
  token: string,
): Promise<void> {
  const query = { customerId: customer.id, status: 'active', limit: 10 } as const
  const active = await store.arrangements.list(query, Temporal.Now.instant())
  assert.equal(active.length, 1)
  assert.equal((await openid.tokenIntrospection(thirdParty.config, token)).active, true)
}

/** Runs a test with a failure at each call in turn, until there are no more calls. */
async function failAtEachCall(
  { database }: Setup,
  failure: Failure,
  run: (arm: () => void) => Promise<void>,
): Promise<void> {
  let hasFailed = true
  for (let call = 1; hasFailed; call += 1) {
    assert.ok(call < 200, 'there is no end')
    await run(() => database.failAt(call, failure))
    hasFailed = database.hasFailed()
    database.recover()
  }
}

const duration = { sharing_duration: '86400' }

/** Walks through a consent without a failure. */
async function consent(
  setup: Setup,
  customer: TestCustomer,
  parameters: Record<string, string> = {},
) {
  const { platform, thirdParty } = setup
  const started = await insist(setup.database.recover, () =>
    thirdParty.start({ ...duration, ...parameters }),
  )
  const browser = platform.browse()
  await browser.open(started.url)
  return { callback: await agree(browser, platform, customer), started }
}

describe('a consent during which the database fails', { timeout: 300_000 }, () => {
  it('ends with tokens if each step is tried again, whichever answer of the database is lost', async () => {
    const setup = await setUp()
    const { platform, thirdParty } = setup

    await failAtEachCall(setup, 'answer lost', async (arm) => {
      const customer = nextCustomer()
      const browser = platform.browse()
      arm()

      const started = await insist(setup.database.recover, () => thirdParty.start(duration))
      const callback = await agreeInsistently(setup, browser, started.url, customer)
      const tokens = await insist(setup.database.recover, () =>
        thirdParty.exchange(callback, started),
      )

      await insist(setup.database.recover, () => assertShared(setup, customer, tokens.access_token))
    })
  })
})

for (const failure of ['not made', 'answer lost'] as const) {
  describe(`a code, if a call of the database is lost (${failure})`, { timeout: 300_000 }, () => {
    it('can be exchanged again after a 503, and a second use after tokens were returned ends the consent', async () => {
      const setup = await setUp()
      const { store, thirdParty } = setup

      await failAtEachCall(setup, failure, async (arm) => {
        const customer = nextCustomer()
        const { callback, started } = await consent(setup, customer)
        let requests = 0
        arm()
        const tokens = await insist(setup.database.recover, () => {
          requests += 1
          return thirdParty.exchange(callback, started)
        })

        await insist(setup.database.recover, () =>
          assertShared(setup, customer, tokens.access_token),
        )
        if (requests === 1) return
        await assert.rejects(thirdParty.exchange(callback, started), { error: 'invalid_grant' })
        const changes = await store.arrangements.listChanges(String(tokens['cdr_arrangement_id']))
        assert.equal(changes.at(-1)?.reason, 'code_replayed')
      })
    })
  })
}

describe('a code that amends a consent, if the database fails', { timeout: 300_000 }, () => {
  it('amends a consent once, with the exchange that returns tokens', async () => {
    const setup = await setUp()
    const { store, thirdParty } = setup

    await failAtEachCall(setup, 'answer lost', async (arm) => {
      const customer = nextCustomer()
      const first = await consent(setup, customer)
      const earlier = await thirdParty.exchange(first.callback, first.started)
      const id = String(earlier['cdr_arrangement_id'])
      const claims = JSON.stringify({ id_token: {}, cdr_arrangement_id: id })
      const { callback, started } = await consent(setup, customer, { claims })
      arm()
      const tokens = await insist(setup.database.recover, () =>
        thirdParty.exchange(callback, started),
      )

      assert.equal(tokens['cdr_arrangement_id'], id)
      await insist(setup.database.recover, () => assertShared(setup, customer, tokens.access_token))
      const changes = await store.arrangements.listChanges(id)
      assert.deepEqual(
        changes.map(({ reason }) => reason),
        ['customer'],
      )
    })
  })
})

describe('the revocation of a refresh token during which the database fails', () => {
  it('ends the consent once it succeeds', async () => {
    const setup = await setUp()
    const { store, thirdParty } = setup

    await failAtEachCall(setup, 'answer lost', async (arm) => {
      const { callback, started } = await consent(setup, nextCustomer())
      const tokens = await thirdParty.exchange(callback, started)
      arm()
      await insist(setup.database.recover, () =>
        openid.tokenRevocation(thirdParty.config, tokens.refresh_token ?? ''),
      )

      const changes = await store.arrangements.listChanges(String(tokens['cdr_arrangement_id']))
      assert.equal(changes.at(-1)?.reason, 'third_party')
    })
  })
})
