import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as openid from 'openid-client'
import type { ConsentStore } from '../../src/platform/consent/store.ts'
import { openConsentStore } from '../../src/storage/open.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { until } from '../support/until.ts'
import {
  assertUnavailablePage,
  checkUnavailable,
  insist as repeatWhileUnavailable,
} from './during-outage.ts'
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

/** Sends a request with a failure at the next of its calls that has not failed yet. */
type Attempt = <Result>(step: string, send: () => Promise<Result>) => Promise<Result>

/** In one walk. Guesses of a passcode and its deliveries are limited. */
const failuresMax: Readonly<Record<string, number>> = { identify: 2, passcode: 2 }

/**
 * Walks as often as it takes to fail at each call of each step. Most steps fail many times in one walk, since they can be
 * repeated. A step is done when it does not fail at its first attempt in a walk.
 */
async function failAtEachCall(
  { database, platform }: Setup,
  failure: Failure,
  walk: (attempt: Attempt) => Promise<void>,
  fails: (step: string) => boolean = () => true,
): Promise<void> {
  const calls = new Map<string, number>()
  const done = new Set<string>()
  do {
    const failures = new Map<string, number>()
    await walk(async (step, send) => {
      if (!fails(step)) return send()
      const call = calls.get(step) ?? 1
      calls.set(step, call)
      assert.ok(call < 200, 'there is no end')
      const failed = failures.get(step) ?? 0
      if (done.has(step) || failed >= (failuresMax[step] ?? call)) return send()
      // A new connection would count as a call.
      await until(() => platform.store.readSecret('limits').then(Boolean, () => false))
      database.failAt(call, failure)
      try {
        return await send()
      } finally {
        if (database.hasFailed()) {
          failures.set(step, failed + 1)
          calls.set(step, call + 1)
        } else if (failed === 0) done.add(step)
        database.recover()
      }
    })
  } while (done.size < calls.size)
}

/** Repeats a request of a third party after each 503. */
function insist<Result>(attempt: Attempt, step: string, request: () => Promise<Result>) {
  return repeatWhileUnavailable(
    () => {},
    () => attempt(step, request),
  )
}

/** Walks as a customer who tries again when a page says so, to a page or else to the third party. */
async function agreeInsistently(
  { platform }: Setup,
  attempt: Attempt,
  url: URL,
  { id, email, accounts }: TestCustomer,
  last?: RegExp,
): Promise<URL> {
  const browser = platform.browse()
  const submit = (action: string, fields: Record<string, string> = {}) =>
    attempt(action, () => browser.submit(action, fields))
  let target = await attempt('open', () => browser.open(url))
  for (let requests = 0; target === undefined; requests += 1) {
    const { status, text, url: shown } = browser.page
    assert.ok(requests < 1000, text)
    if (last?.test(text)) return shown
    if (status === 503 || status === 429) {
      if (status === 503) assertUnavailablePage(browser.page)
      else platform.pass(30)
      target = await attempt('open', () => browser.open(shown))
    } else {
      assert.equal(status, 200, text)
      if (/wants to see your data/.test(text)) target = await submit('identify', { email })
      else if (/Choose the accounts/.test(text))
        target = await submit('accounts', { account: accounts[0] })
      else if (/Share your data with/.test(text)) target = await submit('confirm')
      else target = await submit('passcode', { passcode: findPasscode(platform.passcodes, id) })
    }
  }
  return target
}

const duration = { sharing_duration: '86400' }

/** Walks through a consent without a failure. */
async function consent(
  { platform, thirdParty }: Setup,
  customer: TestCustomer,
  parameters: Record<string, string> = {},
) {
  const started = await repeatWhileUnavailable(
    () => {},
    () => thirdParty.start({ ...duration, ...parameters }),
  )
  const browser = platform.browse()
  await browser.open(started.url)
  return { callback: await agree(browser, platform, customer), started }
}

describe('a consent during which the database fails', () => {
  it('continues with the accounts if the address and the passcode are entered again', async () => {
    const setup = await setUp()

    const walk = async (attempt: Attempt) => {
      const { url } = await setup.thirdParty.start()
      await agreeInsistently(setup, attempt, url, nextCustomer(), /Choose the accounts/)
    }
    await failAtEachCall(setup, 'answer lost', walk, (step) => step in failuresMax)
  })

  it('ends with tokens if each other step is tried again, whichever answer of the database is lost', async () => {
    const setup = await setUp()
    const { thirdParty } = setup

    const walk = async (attempt: Attempt) => {
      const customer = nextCustomer()
      const started = await insist(attempt, 'start', () => thirdParty.start(duration))
      const callback = await agreeInsistently(setup, attempt, started.url, customer)
      const { access_token: token } = await insist(attempt, 'exchange', () =>
        thirdParty.exchange(callback, started),
      )

      await insist(attempt, 'introspection', () => assertShared(setup, customer, token))
    }
    await failAtEachCall(setup, 'answer lost', walk, (step) => !(step in failuresMax))
  })
})

for (const failure of ['not made', 'answer lost'] as const) {
  describe(`a code, if a call of the database is lost (${failure})`, () => {
    it('can be exchanged again after a 503, and a second use after tokens were returned ends the consent', async () => {
      const setup = await setUp()
      const { store, thirdParty, database } = setup

      await failAtEachCall(setup, failure, async (attempt) => {
        const customer = nextCustomer()
        const { callback, started } = await consent(setup, customer)
        const exchange = () => thirdParty.exchange(callback, started)
        const tokens = await insist(attempt, 'exchange', exchange)

        await assertShared(setup, customer, tokens.access_token)
        // In doubt, tokens are returned, although the code was not consumed.
        if (failure === 'not made' && database.hasFailed()) await exchange().catch(() => {})
        await assert.rejects(exchange, { error: 'invalid_grant' })
        const changes = await store.arrangements.listChanges(String(tokens['cdr_arrangement_id']))
        assert.equal(changes.at(-1)?.reason, 'code_replayed')
      })
    })
  })
}

describe('a code that amends a consent, if the database fails', () => {
  it('amends a consent once, with the exchange that returns tokens', async () => {
    const setup = await setUp()
    const { store, thirdParty } = setup

    await failAtEachCall(setup, 'answer lost', async (attempt) => {
      const customer = nextCustomer()
      const first = await consent(setup, customer)
      const earlier = await thirdParty.exchange(first.callback, first.started)
      const id = String(earlier['cdr_arrangement_id'])
      const claims = JSON.stringify({ cdr_arrangement_id: id })
      const { callback, started } = await consent(setup, customer, { claims })
      const tokens = await insist(attempt, 'exchange', () => thirdParty.exchange(callback, started))

      assert.equal(tokens['cdr_arrangement_id'], id)
      await assertShared(setup, customer, tokens.access_token)
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

    await failAtEachCall(setup, 'answer lost', async (attempt) => {
      const { callback, started } = await consent(setup, nextCustomer())
      const tokens = await thirdParty.exchange(callback, started)
      await insist(attempt, 'revocation', () =>
        openid.tokenRevocation(thirdParty.config, tokens.refresh_token ?? ''),
      )

      const changes = await store.arrangements.listChanges(String(tokens['cdr_arrangement_id']))
      assert.equal(changes.at(-1)?.reason, 'third_party')
    })
  })
})
