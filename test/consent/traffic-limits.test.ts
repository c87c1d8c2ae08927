import assert from 'node:assert/strict'
import { it } from 'node:test'
import { limitTotal, openTrafficLimits } from '../../src/platform/consent/cds/limit-traffic.ts'
import { heldSeconds } from '../../src/platform/consent/passcode-budgets.ts'
import { openMetrics } from '../../src/server/observe/metrics.ts'
import { formatMetrics } from '../../src/server/observe/registry.ts'
import { openConsentStore } from '../../src/storage/open.ts'
import { openDatabaseFile } from '../support/database-file.ts'
import {
  describe,
  describeOn,
  describeOnce,
  newDatabase,
  shareOnEachEngine,
} from '../support/engines.ts'
import { assertError, openCdsPlatform, type Sharing, share } from './cds.ts'
import { findPasscode, nextCustomer } from './platform.ts'
import { after, makeArrangement, makeThirdParty, now, openStores } from './stores.ts'
import { registerThirdParty, type TestThirdParty } from './third-party.ts'

const setUp = shareOnEachEngine(async (scope) => {
  const metrics = openMetrics()
  const budgets = { passcodesPerMinute: 60_000, wrongPasscodesPerMinute: 1 }
  const options = { thirdPartyLimits: 'cds', metrics, budgets } as const
  return { metrics, platform: await openCdsPlatform(scope, undefined, options) }
})

const present = { 'x-fapi-customer-ip-address': '203.0.113.7' }
const path = '/common/customer'

async function open() {
  const { metrics, platform } = await setUp()
  const customer = nextCustomer()
  const choices = { customer, accounts: customer.accounts }
  return { metrics, platform, choices, sharing: await share(platform, choices) }
}

/** The answers of calls, one after another. */
async function callOften({ call }: Sharing, count: number, headers = {}, port?: number) {
  const answers = []
  for (let each = 0; each < count; each += 1) {
    answers.push(await call(path, { headers, ...(port !== undefined && { port }) }))
  }
  return answers
}

const statuses = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status)

describe('with the limits of the standards, a third party', () => {
  it('may call ten times a second for a customer who is present, with any number of tokens', async () => {
    const { platform, choices, sharing } = await open()
    const other = await share(platform, choices)
    platform.pass(1)

    const answers = [
      ...(await callOften(sharing, 5, present)),
      ...(await callOften(other, 6, present)),
    ]
    platform.pass(1)
    const later = await callOften(sharing, 1, present)

    assert.deepEqual(statuses(answers), [...Array(10).fill(200), 429])
    const last = answers.at(-1) ?? assert.fail()
    assertError(last, 429, 'cds-all:GeneralError/Expected')
    assert.match(last.body.errors[0].detail, /customer_per_second: 10 requests per second/)
    assert.equal(last.headers.get('retry-after'), '1')
    assert.deepEqual(statuses(later), [200])
  })

  it('may call five times a second with a token while the customer is not present', async () => {
    const { platform, sharing } = await open()
    platform.pass(1)

    const answers = await callOften(sharing, 6)
    const whilePresent = await callOften(sharing, 1, present)

    assert.deepEqual(statuses(answers), [200, 200, 200, 200, 200, 429])
    assert.match(answers[5]?.body.errors[0].detail, /session_per_second/)
    assert.deepEqual(statuses(whilePresent), [200])
  })

  it('may call a hundred times with a token while the customer is not present, in all processes together', async () => {
    const { platform, sharing } = await open()
    const other = await platform.openAnother()
    const answers = []
    for (let count = 0; count < 26; count += 1) {
      platform.pass(1)
      answers.push(...(await callOften(sharing, 2)), ...(await callOften(sharing, 2, {}, other)))
    }

    assert.deepEqual(statuses(answers), [...Array(100).fill(200), 429, 429, 429, 429])
    const last = answers.at(-1) ?? assert.fail()
    assert.match(last.body.errors[0].detail, /session_calls: 100 requests/)
    assert.ok(Number(last.headers.get('retry-after')) <= 600 - 26)
    platform.pass(1)
    assert.deepEqual(statuses(await callOften(sharing, 1, present)), [200])
  })

  it('learns which limit it is over, and so do the log and the metrics', async () => {
    const { platform, metrics, sharing } = await open()
    platform.pass(1)

    await callOften(sharing, 6)

    const line = platform.log.map((each) => JSON.parse(each)).findLast(({ limit }) => limit)
    assert.deepEqual([line.status, line.limit], [429, 'session_per_second'])
    const snapshot = await metrics.snapshot(['holdfast_limited_requests_total'])
    assert.match(formatMetrics([snapshot]), /\{limit="session_per_second"\} [1-9]/)
  })
})

describe('a customer whose third party is attacked', () => {
  it('is asked to wait, enters the same passcode again, and sees no limit of another third party', async () => {
    const { platform, metrics } = await setUp()
    const [attacked, other] = [
      await registerThirdParty(platform),
      await registerThirdParty(platform),
    ]
    const ask = async (thirdParty: TestThirdParty) => {
      const [customer, browser] = [nextCustomer(), platform.browse()]
      await browser.open((await thirdParty.start()).url)
      await browser.submit('identify', { email: customer.email })
      const passcode = findPasscode(platform.passcodes, customer.id)
      return { browser, passcode, wrong: passcode === '000000' ? '000001' : '000000' }
    }
    const victim = await ask(attacked)
    for (let count = 0; count < 2; count += 1) {
      await victim.browser.submit('passcode', { passcode: victim.wrong })
    }
    const customer = await ask(attacked)

    await customer.browser.submit('passcode', { passcode: customer.passcode })
    const { status, headers, text } = customer.browser.page
    const line = platform.log.map((each) => JSON.parse(each)).findLast(({ limit }) => limit)
    platform.pass(heldSeconds)
    await customer.browser.submit('passcode', { passcode: customer.passcode })
    const unaffected = await ask(other)
    await unaffected.browser.submit('passcode', { passcode: unaffected.passcode })

    assert.deepEqual([status, headers['retry-after']], [429, String(heldSeconds)])
    assert.match(text, /Your code stays valid. Try again in 30 seconds/)
    assert.deepEqual(
      [line.operation, line.status, line.limit],
      ['consent-page', 429, 'wrong_passcodes_of_third_party'],
    )
    assert.match(customer.browser.page.text, /Choose the accounts/)
    assert.match(unaffected.browser.page.text, /Choose the accounts/)
    const counted = formatMetrics([
      await metrics.snapshot([
        'holdfast_limited_requests_total',
        'holdfast_passcode_budget_exceeded_total',
        'holdfast_passcodes_total',
      ]),
    ])
    assert.match(counted, /limited_requests_total\{limit="wrong_passcodes_of_third_party"\} 1\n/)
    assert.match(counted, /exceeded_total\{limit="wrong_passcodes_of_third_party"\} [12]\n/)
    assert.match(counted, /passcodes_total\{event="wrong"\} 2\n/)
  })
})

describe('the limits of the standards', () => {
  it('count 50 requests a second of a third party for each kind of traffic, and 150 of all', async (t) => {
    const [store] = await openStores(t)
    let time = 0
    const count = await openTrafficLimits({
      store,
      clock: () => now,
      timeZone: 'UTC',
      seconds: () => time,
    })
    const request = (index: number, thirdPartyId: string, isPresent: boolean) => {
      const customerId = `c${Math.floor(index / 5)}`
      const arrangement = {
        ...makeArrangement('a', { thirdPartyId, customerId }),
        status: 'active' as const,
        updated: now,
      }
      const session = { key: `${thirdPartyId} ${customerId}`, ends: after(600) }
      return count({ arrangement, session }, isPresent)
    }
    const send = async (requests: number, thirdPartyId: string, isPresent: boolean) => {
      const all = Array.from({ length: requests }, (_, index) =>
        request(index, thirdPartyId, isPresent),
      )
      const results = await Promise.allSettled(all)
      return results.flatMap((result) =>
        result.status === 'rejected' ? [result.reason.limit] : [],
      )
    }

    const rejected = [
      await send(51, 'one', true),
      await send(51, 'one', false),
      await send(49, 'two', true),
      await send(2, 'three', false),
    ]
    time += 1
    const later = await send(1, 'one', true)

    assert.deepEqual(rejected, [
      ['third_party_per_second'],
      ['third_party_per_second'],
      [],
      ['total_per_second'],
    ])
    assert.deepEqual(later, [])
  })

  it('begin a day of sessions at midnight in the time zone of the platform', async (t) => {
    const [store] = await openStores(t)
    let time = Temporal.Instant.from('2026-07-01T13:00:00Z')
    let seconds = 0
    const clock = () => time
    const timeZone = 'Australia/Sydney'
    const count = await openTrafficLimits({ store, clock, timeZone, seconds: () => seconds })
    const arrangement = { ...makeArrangement('a'), status: 'active' as const, updated: now }
    const begin = async (name: string) => {
      seconds += 1
      const session = { key: name, ends: time.add({ minutes: 10 }) }
      return count({ arrangement, session }, false).then(
        () => 'admitted',
        (error) => `${error.limit} ${error.headers['retry-after']}`,
      )
    }
    const beginMany = async (name: string) => {
      const results = []
      for (let each = 0; each < 21; each += 1) results.push(await begin(`${name}${each}`))
      return results
    }

    const first = await beginMany('a')
    time = Temporal.Instant.from('2026-07-01T14:00:00Z')
    const second = await beginMany('b')

    const admitted = Array(20).fill('admitted')
    assert.deepEqual(first, [...admitted, 'sessions_per_day 3600'])
    assert.deepEqual(second, [...admitted, 'sessions_per_day 86400'])
  })
})

describeOnce('the limit of all third parties', () => {
  it('has the steps of the standards', () => {
    const actual = [0, 1, 10_000, 10_001, 20_000, 20_001, 60_000, 60_001, 1_000_000].map(limitTotal)

    assert.deepEqual(actual, [150, 150, 150, 200, 200, 250, 400, 450, 450])
  })
})

describe('the counts of sessions', () => {
  const ends = after(600)
  const day = (name: string) => ({ key: `day ${name}`, max: 20, ends: after(86_400) })
  const session = (name: string) => ({ key: `session ${name}`, max: 3, ends })

  it('admit as many sessions a day as allowed, of many that begin at the same moment', async (t) => {
    const [one, two] = await openStores(t)
    const stores = [one, two]

    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        stores[index % 2]?.sessions.countCall(session(`s${index % 30}`), day('a'), now),
      ),
    )
    const repeated = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        one.sessions.countCall(session(`s${index}`), day('a'), now),
      ),
    )

    const count = (all: typeof results, result: string | undefined) =>
      all.filter((each) => each === result).length
    assert.deepEqual([count(results, undefined), count(results, 'sessions')], [40, 20])
    assert.deepEqual([count(repeated, undefined), count(repeated, 'sessions')], [20, 10])
  })

  it('admit as many calls of a session as allowed, and then no more until it ends', async (t) => {
    const [one, two] = await openStores(t)

    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? one : two).sessions.countCall(session('s'), day('b'), now),
      ),
    )
    const late = await one.sessions.countCall(session('s'), day('b'), after(599))

    assert.equal(results.filter((result) => result === 'calls').length, 7)
    assert.equal(late, 'calls')
  })

  it('do not hinder others, and are purged when their window is over', async (t) => {
    const [store] = await openStores(t)
    for (let count = 0; count < 20; count += 1) {
      await store.sessions.countCall(session(`${count}`), day('c'), now)
    }

    const full = await store.sessions.countCall(session('more'), day('c'), now)
    const other = await store.sessions.countCall(session('more'), day('d'), now)
    await store.sessions.countCall(
      { ...session('x'), ends: after(90_600) },
      day('e'),
      after(90_000),
    )
    await store.sessions.countCall(
      { ...session('y'), ends: after(90_600) },
      day('f'),
      after(90_000),
    )
    await store.sessions.countCall(
      { ...session('z'), ends: after(90_600) },
      day('g'),
      after(90_000),
    )
    const purged = await store.sessions.countCall(session('new'), day('c'), now)

    assert.deepEqual([full, other, purged], ['sessions', undefined, undefined])
  })
})

describe('the number of active consents', () => {
  it('is counted up to a maximum, without those that have ended', async (t) => {
    const [store] = await openStores(t)
    await store.thirdParties.add(makeThirdParty('tp'))
    for (const id of ['a', 'b', 'c', 'd']) {
      await store.arrangements.add(makeArrangement(id, id === 'd' ? { until: after(60) } : {}))
    }
    await store.arrangements.withdraw('a', 'customer', now)

    const counts = [
      await store.arrangements.countActive(10, now),
      await store.arrangements.countActive(10, after(61)),
      await store.arrangements.countActive(1, now),
    ]

    assert.deepEqual(counts, [3, 2, 1])
  })
})

describeOn('sqlite', 'the number of active consents', () => {
  it('is counted in an index alone: reading the consents would block the process', async (t) => {
    const database = await newDatabase(t)
    const store = await openConsentStore(database)
    t.after(store.close)
    const file = openDatabaseFile(database)
    file.exec('drop index arrangement_active')
    file.close()

    await assert.rejects(store.arrangements.countActive(10, now), /no such index/)
  })
})
