import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as openid from 'openid-client'
import { ContractError } from '../../src/contract/index.ts'
import { describe, type Scope, shareOnEachEngine } from '../support/engines.ts'
import { until } from '../support/until.ts'
import { assertUnavailablePage, checkUnavailable, isUnavailable } from './during-outage.ts'
import { openInterceptedStore } from './intercepted-store.ts'
import { lockArtifacts } from './lock-artifacts.ts'
import {
  agree,
  type ConsentPlatform,
  findPasscode,
  nextCustomer,
  openConsentPlatform,
} from './platform.ts'
import { fetchFrom, registerThirdParty, type TestThirdParty } from './third-party.ts'

const setUp = shareOnEachEngine(async (scope: Scope) => {
  const calls = openInterceptedStore()
  const platform = await openConsentPlatform(scope, calls)
  return { calls, platform }
})

const inDoubt = () => new ContractError('unavailable', 'the answer was lost', { isInDoubt: true })
const rejected = () => new ContractError('unavailable', 'the database is locked')

async function getCode(
  platform: ConsentPlatform,
  thirdParty: TestThirdParty,
  parameters: Record<string, string> = {},
  customer = nextCustomer(),
) {
  const started = await thirdParty.start({ sharing_duration: '86400', ...parameters })
  const browser = platform.browse()
  await browser.open(started.url)
  return { callback: await agree(browser, platform, customer), started }
}

async function readReason({ store }: ConsentPlatform, id: unknown): Promise<string | undefined> {
  return (await store.arrangements.listChanges(String(id))).at(-1)?.reason
}

describe('a code whose client disconnects', () => {
  const moments = [
    'before it is consumed',
    'while it is consumed',
    'while the answer of the database is lost',
  ] as const
  for (const moment of moments) {
    it(`can be exchanged again, and leaves no tokens (${moment})`, async (t) => {
      const { calls, platform } = await setUp()
      t.after(calls.restore)
      const thirdParty = await registerThirdParty(platform)
      const { callback, started } = await getCode(platform, thirdParty)
      const { config } = thirdParty
      const send = fetchFrom(platform.port)
      const abort = new AbortController()
      config[openid.customFetch] = (url, options) => send(url, { ...options, signal: abort.signal })
      const logged = platform.log.length
      const disconnect = async () => {
        abort.abort()
        await until(() =>
          platform.log.slice(logged).some((line) => JSON.parse(line).status === 499),
        )
      }
      const stored: string[] = []
      calls.intercept('artifacts.put', async (make, [model, key]) => {
        await make()
        if (model !== 'RefreshToken') return
        stored.push(String(key))
        if (moment === 'before it is consumed') await disconnect()
      })
      calls.intercept('artifacts.consume', async (make) => {
        const result = await make()
        if (abort.signal.aborted) return result
        await disconnect()
        if (moment === 'while the answer of the database is lost') throw inDoubt()
        return result
      })

      await assert.rejects(thirdParty.exchange(callback, started))
      const isStored = async (key = '') =>
        (await platform.store.artifacts.find('RefreshToken', key, Temporal.Now.instant())) !==
        undefined
      await until(async () => stored.length === 1 && !(await isStored(stored[0])))
      config[openid.customFetch] = send
      const tokens = await thirdParty.exchange(callback, started)

      assert.equal((await openid.tokenIntrospection(config, tokens.access_token)).active, true)
      assert.equal(await isStored(stored[1]), true)
      await assert.rejects(thirdParty.exchange(callback, started), { error: 'invalid_grant' })
      assert.equal(await readReason(platform, tokens['cdr_arrangement_id']), 'code_replayed')
    })
  }
})

describe('a code and a request_uri that a locked database cannot consume', () => {
  it('lead to a 503, and are used once afterwards', async (t) => {
    const { calls, platform } = await setUp()
    t.after(calls.restore)
    const thirdParty = await registerThirdParty(platform)
    checkUnavailable(thirdParty, platform.port)
    const { callback, started } = await getCode(platform, thirdParty)
    const { url } = await (await registerThirdParty(platform, 'cds')).start()
    const browser = platform.browse()
    const locked = Promise.withResolvers<() => Promise<void>>()
    let waiting = 0
    calls.intercept('artifacts.consume', async (make) => {
      waiting += 1
      if (waiting === 2) locked.resolve(lockArtifacts(t, platform))
      await locked.promise
      return make()
    })

    await Promise.all([
      assert.rejects(thirdParty.exchange(callback, started), isUnavailable),
      browser.open(url),
    ])
    assertUnavailablePage(browser.page)
    await (await locked.promise)()
    calls.restore()

    const tokens = await thirdParty.exchange(callback, started)
    assert.equal(
      (await openid.tokenIntrospection(thirdParty.config, tokens.access_token)).active,
      true,
    )
    await assert.rejects(thirdParty.exchange(callback, started), { error: 'invalid_grant' })
    assert.equal(await readReason(platform, tokens['cdr_arrangement_id']), 'code_replayed')
    await browser.open(url)
    assert.equal(browser.page.status, 200)
    const other = platform.browse()
    await other.open(url)
    assert.equal(other.page.status, 400)
  })
})

describe('a code that amends a consent and is exchanged twice at the same time', () => {
  async function prepare() {
    const { calls, platform } = await setUp()
    const thirdParty = await registerThirdParty(platform)
    const customer = nextCustomer()
    const earlier = await getCode(platform, thirdParty, {}, customer)
    const { cdr_arrangement_id: id } = await thirdParty.exchange(earlier.callback, earlier.started)
    const claims = JSON.stringify({ cdr_arrangement_id: id })
    const { callback, started } = await getCode(platform, thirdParty, { claims }, customer)
    return { calls, platform, id, exchange: () => thirdParty.exchange(callback, started) }
  }

  it('ends the consent if the first exchange has returned tokens', async (t) => {
    const { calls, platform, id, exchange } = await prepare()
    t.after(calls.restore)
    const both = Promise.withResolvers<void>()
    const isFirstDone = Promise.withResolvers<void>()
    let amending = 0
    calls.intercept('arrangements.amend', async (make) => {
      amending += 1
      if (amending === 2) both.resolve()
      await (amending === 2 ? isFirstDone.promise : both.promise)
      return make()
    })

    const exchanges = [exchange(), exchange()]
    await Promise.any(exchanges).finally(isFirstDone.resolve)
    const results = await Promise.allSettled(exchanges)

    const failed = results.find((result) => result.status === 'rejected')
    assert.equal(failed?.reason.error, 'invalid_grant')
    assert.equal(await readReason(platform, id), 'code_replayed')
  })

  it('returns 503 for the second exchange while the first can still fail', async (t) => {
    const { calls, platform, id, exchange } = await prepare()
    t.after(calls.restore)
    const both = Promise.withResolvers<void>()
    const isAmended = Promise.withResolvers<void>()
    const isSecondDone = Promise.withResolvers<void>()
    let amending = 0
    calls.intercept('arrangements.amend', async (make) => {
      amending += 1
      if (amending === 2) {
        both.resolve()
        await isAmended.promise
        return make()
      }
      await both.promise
      const result = await make()
      isAmended.resolve()
      await isSecondDone.promise
      return result
    })

    const exchanges = [exchange(), exchange()]
    const failed = await Promise.race(exchanges).catch((error) => error)
    isSecondDone.resolve()
    const results = await Promise.allSettled(exchanges)

    assert.equal(isUnavailable(failed), true)
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.notEqual(await readReason(platform, id), 'code_replayed')
    await assert.rejects(exchange(), { error: 'invalid_grant' })
    assert.equal(await readReason(platform, id), 'code_replayed')
  })
})

describe('a correct passcode', () => {
  async function enter() {
    const { calls, platform } = await setUp()
    const thirdParty = await registerThirdParty(platform)
    const browser = platform.browse()
    const customer = nextCustomer()
    await browser.open((await thirdParty.start()).url)
    await browser.submit('identify', { email: customer.email })
    const passcode = findPasscode(platform.passcodes, customer.id)
    return { calls, browser, submit: () => browser.submit('passcode', { passcode }) }
  }

  it('can be entered again if the database cannot use it up', async (t) => {
    const { calls, browser, submit } = await enter()
    t.after(calls.restore)
    calls.intercept('passcodes.use', async () => Promise.reject(rejected()))

    await submit()
    assertUnavailablePage(browser.page)
    calls.restore()
    await browser.open(browser.page.url)
    await submit()

    assert.match(browser.page.text, /Choose the accounts/)
  })

  it('can be entered again if the database cannot give the request to its flow', async (t) => {
    const { calls, browser, submit } = await enter()
    t.after(calls.restore)
    for (const error of [rejected(), inDoubt()]) {
      calls.intercept('artifacts.add', async (make) => {
        if (error.isInDoubt) await make()
        throw error
      })
      await submit()
      assertUnavailablePage(browser.page)
      await browser.open(browser.page.url)
    }
    calls.restore()

    await submit()

    assert.match(browser.page.text, /Choose the accounts/)
  })

  it('is followed by no further change if its use is in doubt', async (t) => {
    const { calls, browser, submit } = await enter()
    t.after(calls.restore)
    const later: string[] = []
    calls.intercept('passcodes.use', async (make) => {
      await make()
      for (const call of ['limits.refund', 'artifacts.remove']) {
        calls.intercept(call, (change) => {
          later.push(call)
          return change()
        })
      }
      throw inDoubt()
    })

    await submit()

    assert.match(browser.page.text, /Choose the accounts/)
    assert.deepEqual(later, [])
  })

  it('is followed by changes at the same time, which may fail', async (t) => {
    const { calls, browser, submit } = await enter()
    t.after(calls.restore)
    const changes = 10
    const all = Promise.withResolvers<void>()
    let begun = 0
    for (const call of ['limits.refund', 'artifacts.remove']) {
      calls.intercept(call, async () => {
        begun += 1
        if (begun === changes) all.resolve()
        await all.promise
        throw rejected()
      })
    }

    await submit()

    assert.match(browser.page.text, /Choose the accounts/)
    assert.equal(begun, changes)
  })
})
