import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as openid from 'openid-client'
import { createDatabase } from '../../src/storage/open.ts'
import { openDatabaseFile } from '../support/database-file.ts'
import { createScope, describeOn } from '../support/engines.ts'
import { makePostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { type Browser, readForm } from './browser.ts'
import { assertUnavailablePage, checkUnavailable, insist, isUnavailable } from './during-outage.ts'
import {
  agree,
  type ConsentPlatform,
  findPasscode,
  identify,
  issuer,
  nextCustomer,
  openConsentPlatform,
} from './platform.ts'
import { registerThirdParty } from './third-party.ts'

/** Prepares one use of every endpoint that writes. */
async function prepare(platform: ConsentPlatform) {
  const thirdParty = await registerThirdParty(platform)
  checkUnavailable(thirdParty, platform.port)
  const { config, dpop } = thirdParty
  const open = async () => {
    const started = await thirdParty.start({ sharing_duration: '86400' })
    const browser = platform.browse()
    await browser.open(started.url)
    return { started, browser, customer: nextCustomer() }
  }
  const confirmed = async () => {
    const flow = await open()
    const { browser, customer } = flow
    await identify(browser, platform, customer)
    await browser.submit('accounts', { account: customer.accounts })
    const form = readForm(browser.page.text, 'confirm', {})
    const { location = '' } = await browser.post(browser.page.url, form)
    return { ...flow, resume: new URL(location) }
  }
  const done = await open()
  const tokens = await thirdParty.exchange(await agree(done.browser, platform), done.started)
  const { access_token: access, refresh_token: refresh = '' } = tokens
  const subject = tokens.claims()?.sub ?? ''
  const coded = await open()
  const callback = await agree(coded.browser, platform, coded.customer)
  const arriving = { browser: platform.browse(), started: await thirdParty.start() }
  const identifying = await open()
  const returning = await confirmed()
  const visitor = platform.browse()
  await visitor.open(`${issuer}/consents`)
  const visiting = nextCustomer()

  return {
    thirdParty,
    requests: {
      par: () => thirdParty.start(),
      code: () => thirdParty.exchange(callback, coded.started),
      refresh: () => openid.refreshTokenGrant(config, refresh, undefined, { DPoP: dpop }),
      introspection: () => openid.tokenIntrospection(config, access),
      userinfo: () => openid.fetchUserInfo(config, access, subject, { DPoP: dpop }),
      revocation: () => openid.tokenRevocation(config, access),
    } satisfies Record<string, () => Promise<unknown>>,
    pages: [
      { browser: arriving.browser, send: () => arriving.browser.open(arriving.started.url) },
      { browser: returning.browser, send: () => returning.browser.open(returning.resume) },
      {
        browser: identifying.browser,
        send: () => identifying.browser.submit('identify', { email: identifying.customer.email }),
      },
      {
        browser: visitor,
        send: () => visitor.submit('identify', { email: visiting.email }),
      },
    ],
    /** Continues everywhere after the outage. */
    async finish() {
      const callbacks = [
        await reopen(arriving.browser).then(() => agree(arriving.browser, platform)),
        (await reopen(returning.browser)) ?? assert.fail(returning.browser.page.text),
        await reopen(identifying.browser).then(() =>
          agree(identifying.browser, platform, identifying.customer),
        ),
      ]
      const flows = [arriving, returning, identifying]
      for (const [index, { started }] of flows.entries()) {
        const target = callbacks[index] ?? started.url
        const { access_token: token } = await thirdParty.exchange(target, started)
        assert.equal((await openid.tokenIntrospection(config, token)).active, true)
      }
      await reopen(visitor)
      await visitor.submit('identify', { email: visiting.email })
      await visitor.submit('passcode', { passcode: findPasscode(platform.passcodes, visiting.id) })
      assert.match(visitor.page.text, /Your data sharing/)
    },
  }
}

/** Opens the link to try again until there is another answer. */
async function reopen(browser: Browser): Promise<URL | undefined> {
  const { url } = browser.page
  let target: URL | undefined
  await until(async () => {
    target = await browser.open(url)
    return target !== undefined || browser.page.status !== 503
  })
  return target
}

/** Sends all requests while the database is away, and again afterwards. */
async function testOutage(
  platform: ConsentPlatform,
  stop: () => Promise<void>,
  start: () => Promise<void>,
): Promise<void> {
  const { requests, pages, finish } = await prepare(platform)
  const wellKnown = ['/oidc/jwks', '/.well-known/openid-configuration']
  const logged = platform.log.length
  await stop()

  await Promise.all([
    ...Object.values(requests).map((send) => assert.rejects(send(), isUnavailable)),
    ...pages.map(async ({ browser, send }) => {
      assert.equal(await send(), undefined)
      assertUnavailablePage(browser.page)
    }),
    ...wellKnown.map(async (path) => {
      assert.equal((await fetch(`http://127.0.0.1:${platform.port}${path}`)).status, 200)
    }),
  ])
  const lines = platform.log.slice(logged).map((line) => JSON.parse(line))
  await start()

  const failed = lines.filter(({ status }) => status >= 500)
  assert.equal(failed.length, Object.keys(requests).length + pages.length)
  for (const { level, status, msg, code } of failed) {
    assert.deepEqual([level, status, msg, code], [40, 503, 'request failed', 'unavailable'])
  }
  const unexpected = lines.filter(
    ({ level, err }) => level >= 50 && !/could not be recorded/.test(err?.message),
  )
  assert.deepEqual(unexpected, [])
  for (const send of Object.values(requests)) await insist<unknown>(() => {}, send)
  await finish()
}

describeOn('postgres', 'while PostgreSQL is stopped', () => {
  it('each endpoint and page of the consent role responds with 503, and continues afterwards', async (t) => {
    const scope = createScope(t)
    const server = await makePostgres({ durable: true })
    scope.after(() => server.remove())
    await server.start()
    await createDatabase(server.url(), { partitions: 2 })
    const platform = await openConsentPlatform(scope, { database: server.url() })

    await testOutage(platform, () => server.stop('crash'), server.start)
  })
})

describeOn('sqlite', 'while another process locks the file', () => {
  it('each endpoint and page of the consent role that writes responds with 503, and continues afterwards', async (t) => {
    const scope = createScope(t)
    const platform = await openConsentPlatform(scope)
    const other = openDatabaseFile(platform.database)
    scope.after(async () => other.close())

    await testOutage(
      platform,
      async () => other.exec('begin immediate'),
      async () => other.exec('rollback'),
    )
  })
})
