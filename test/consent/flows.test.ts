import assert from 'node:assert/strict'
import { it } from 'node:test'
import { hashSecret, makeSecret } from '../../src/auth/secrets.ts'
import {
  flowDays,
  flowRetentionDays,
  flowSeconds,
  flowStepsMax,
} from '../../src/contract/consent-flows.ts'
import type { ConsentFlow } from '../../src/contract/index.ts'
import { openFlowRecords } from '../../src/platform/consent/flow-records.ts'
import type { FlowStep } from '../../src/platform/consent/flow-store.ts'
import { codeSeconds } from '../../src/platform/consent/sharing-duration.ts'
import { openClientStore } from '../../src/storage/open.ts'
import { describe, describeOnce, type Scope, shareOnEachEngine } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { runInProcess } from '../support/process.ts'
import { until } from '../support/until.ts'
import {
  agree,
  findPasscode,
  identify,
  issuer,
  nextCustomer,
  openConsentPlatform,
} from './platform.ts'
import { after, now, openStores } from './stores.ts'
import { registerThirdParty } from './third-party.ts'

async function open(scope: Scope) {
  const platform = await openConsentPlatform(scope)
  const clients = await openClientStore(platform.database)
  scope.after(() => clients.close())
  const secret = makeSecret()
  const client = { id: 'console', name: 'console', scopes: ['consent.read'], created: now } as const
  await clients.add(client, hashSecret(secret))
  const body = { client_id: client.id, client_secret: secret }
  const { token } = (await send(platform.port, '/v1/token', { method: 'POST', body })).body
  const list = (query = '') =>
    send(platform.port, `/v1/consent-flows${query}`, {
      headers: { authorization: `Bearer ${token}` },
    })
  return {
    platform,
    list,
    /** The last flow of a third party, or sign-in to the page with consents, once it has so many steps. */
    async readFlow(thirdPartyId: string | undefined, stepCount: number): Promise<ConsentFlow> {
      let found: ConsentFlow | undefined
      await until(
        async () => {
          const { data } = (await list('?page-size=100')).body as { data: ConsentFlow[] }
          found = data.find(({ thirdParty }) => thirdParty?.id === thirdPartyId)
          return found?.steps.length === stepCount
        },
        () => JSON.stringify(found),
      )
      return found ?? assert.fail()
    },
  }
}

const fixtureOnEachEngine = shareOnEachEngine(open)

const summarize = ({ steps }: ConsentFlow) =>
  steps.map(({ step, outcome, reason }) => [step, reason ?? outcome].join(' '))

describe('the record of a consent flow', () => {
  it('has the steps of a customer who agrees after errors, and no personal data', async () => {
    const { platform, readFlow } = await fixtureOnEachEngine()
    const thirdParty = await registerThirdParty(platform)
    const browser = platform.browse()
    const customer = nextCustomer()
    const started = await thirdParty.start()
    await browser.open(started.url)
    await browser.submit('identify', { email: 'unknown' })
    await browser.submit('identify', { email: customer.email })
    const passcode = findPasscode(platform.passcodes, customer.id)
    await browser.submit('passcode', { passcode: passcode === '000000' ? '000001' : '000000' })
    await browser.submit('passcode', { passcode })
    await browser.submit('accounts', { account: customer.accounts[0] })
    const { url } = browser.page
    const callback = await browser.submit('confirm')
    const tokens = await thirdParty.exchange(callback ?? assert.fail(), started)
    await browser.open(url)

    const flow = await readFlow(thirdParty.id, 9)

    assert.deepEqual(summarize(flow), [
      'request succeeded',
      'identify invalid_email',
      'identify succeeded',
      'passcode wrong_passcode',
      'passcode succeeded',
      'accounts succeeded',
      'confirm succeeded',
      'redirect succeeded',
      'token succeeded',
    ])
    assert.equal(flow.state, 'completed')
    assert.equal(flow.consentId, tokens['cdr_arrangement_id'])
    assert.deepEqual(flow.thirdParty, { id: thirdParty.id, name: 'Example Budget' })
    assert.equal(flow.started, flow.steps[0]?.time)
    assert.equal(flow.updated, flow.steps.at(-1)?.time)
    const text = JSON.stringify(flow.steps)
    for (const secret of [
      customer.id,
      customer.email,
      passcode,
      callback?.searchParams.get('code'),
    ]) {
      assert.ok(secret && !text.includes(secret), text)
    }
    assert.ok(browser.cookies.every(({ value }) => !text.includes(value)))
  })

  it('shows a cancelled flow, an unknown customer and a page that expired', async () => {
    const { platform, readFlow, list } = await fixtureOnEachEngine()
    const [cancelled, unknown] = [
      await registerThirdParty(platform),
      await registerThirdParty(platform),
    ]
    const browser = platform.browse()
    await browser.open((await cancelled.start()).url)
    const { url } = browser.page
    await browser.submit('cancel')
    await browser.open(url)
    await browser.open((await unknown.start()).url)
    await browser.submit('identify', { email: 'unknown@example.com' })
    const unsent = await readFlow(unknown.id, 2)
    browser.cookies = []
    await browser.open(browser.page.url)

    assert.deepEqual(summarize(await readFlow(cancelled.id, 2)), [
      'request succeeded',
      'identify cancelled_by_customer',
    ])
    assert.deepEqual([unsent.state, summarize(unsent)[1]], ['failed', 'identify no_passcode_sent'])
    assert.equal(summarize(await readFlow(unknown.id, 3))[2], 'page page_expired')
    const { body } = await list('?state=cancelled&page-size=1')
    assert.equal(body.data[0].thirdParty.id, cancelled.id)
    assert.equal((await list('?state=ended')).status, 400)
  })

  it('shows rejected requests of a third party, and a code that could not be exchanged', async () => {
    const { platform, readFlow } = await fixtureOnEachEngine()
    const [invalid, late] = [await registerThirdParty(platform), await registerThirdParty(platform)]
    await assert.rejects(invalid.start({ redirect_uri: 'https://other.example/' }))
    const started = await late.start()
    const browser = platform.browse()
    await browser.open(started.url)
    const callback = await agree(browser, platform)
    await assert.rejects(late.exchange(callback, { ...started, verifier: 'x'.repeat(43) }))

    const rejected = await readFlow(invalid.id, 1)
    const unexchanged = await readFlow(late.id, 7)

    assert.deepEqual([rejected.state, summarize(rejected)], ['failed', ['request invalid_request']])
    assert.match(rejected.steps[0]?.detail ?? '', /^invalid_request: redirect_uri did not match/)
    assert.equal(unexchanged.state, 'failed')
    assert.equal(summarize(unexchanged)[6], 'token token_rejected')
    assert.match(unexchanged.steps[6]?.detail ?? '', /^invalid_grant/)
  })

  it('is not needed for a flow', async (t) => {
    const { platform } = await open(t)
    const thirdParty = await registerThirdParty(platform)
    for (const name of ['add', 'append', 'appendToConsent'] as const) {
      t.mock.method(platform.store.flows, name, async () => {
        throw new Error('the test lets it fail')
      })
    }
    const browser = platform.browse()
    const started = await thirdParty.start()
    await browser.open(started.url)
    await identify(browser, platform)

    const reports = platform.log.filter((line) => line.includes('could not be recorded'))

    assert.equal(reports.length, 1)
  })
})

describe('the record of a sign-in to the page with consents', () => {
  it('has its steps like those of a flow, and no personal data', async () => {
    const { platform, readFlow, list } = await fixtureOnEachEngine()
    const customer = nextCustomer()
    const browser = platform.browse()
    await browser.open(`${issuer}/consents`)
    await browser.submit('identify', { email: 'unknown' })
    const failed = await readFlow(undefined, 2)
    await browser.submit('identify', { email: customer.email })
    await browser.submit('resend')
    const { status, headers } = browser.page
    const passcode = findPasscode(platform.passcodes, customer.id)
    await browser.submit('passcode', { passcode: passcode === '000000' ? '000001' : '000000' })
    await browser.submit('passcode', { passcode })

    const flow = await readFlow(undefined, 7)

    assert.deepEqual(
      [failed.state, summarize(failed)],
      ['failed', ['page succeeded', 'identify invalid_email']],
    )
    assert.equal(flow.flowId, failed.flowId)
    assert.deepEqual(summarize(flow), [
      'page succeeded',
      'identify invalid_email',
      'identify succeeded',
      'passcode passcode_too_soon',
      'passcode wrong_passcode',
      'passcode succeeded',
      'consents succeeded',
    ])
    assert.equal(flow.steps[3]?.detail, 'over the limit passcode_too_soon')
    assert.deepEqual([status, headers['retry-after']], [429, '30'])
    const logged = platform.log.map((line) => JSON.parse(line)).findLast(({ limit }) => limit)
    assert.deepEqual([logged.operation, logged.limit], ['dashboard', 'passcode_too_soon'])
    assert.deepEqual(
      [flow.state, flow.thirdParty, flow.consentId],
      ['completed', undefined, undefined],
    )
    const text = JSON.stringify(flow)
    for (const secret of [customer.id, customer.email, passcode]) assert.ok(!text.includes(secret))
    assert.ok(browser.cookies.every(({ value }) => !text.includes(value)))
    const { stdout } = await runInProcess(['consent', 'flows', '--database', platform.database])
    const line = stdout.split('\n').find((each) => each.startsWith(flow.flowId))
    assert.match(
      line ?? '',
      / completed +\S+Z {2}passcode wrong_passcode {2}sign-in to \/consents$/,
    )
    const { body } = await list('?state=completed&page-size=100')
    const json = ['consent', 'flows', '--state', 'completed', '--json']
    const printed = await runInProcess([...json, '--database', platform.database])
    assert.deepEqual(
      printed.stdout
        .trim()
        .split('\n')
        .map((each) => JSON.parse(each)),
      body.data,
    )
  })

  it('shows an unknown customer and a provider that does not answer', async (t) => {
    const { platform, readFlow } = await fixtureOnEachEngine()
    t.after(() => platform.setProviderAway(false))
    const browser = platform.browse()
    await browser.open(`${issuer}/consents`)
    await browser.submit('identify', { email: 'unknown@example.com' })
    const unknown = await readFlow(undefined, 2)
    const other = platform.browse()
    await other.open(`${issuer}/consents`)
    platform.setProviderAway(true)
    await other.submit('identify', { email: nextCustomer().email })

    await until(async () => {
      const flow = await readFlow(undefined, 2)
      return (
        flow.flowId !== unknown.flowId && summarize(flow)[1] === 'identify provider_unreachable'
      )
    })
    assert.equal(summarize(unknown)[1], 'identify no_passcode_sent')
  })
})

describe('the list of consent flows', () => {
  const step = (seconds: number, fields: Partial<FlowStep> = {}): FlowStep => ({
    time: after(seconds),
    step: 'request',
    outcome: 'succeeded',
    ...fields,
  })

  it('has the flows of each state, newest first, page by page', async (t) => {
    const [{ flows }] = await openStores(t)
    const end = { step: 'redirect', outcome: 'succeeded' } as const
    for (const [index, id] of ['f1', 'f2', 'f3', 'f4'].entries()) {
      await flows.add(id, 'tp', step(index >> 1))
    }
    await flows.append('f1', step(5, end), 'r1')
    await flows.append('f2', step(9, { outcome: 'failed', reason: 'server_error' }))
    await flows.append('f2', step(8))
    await flows.append('unknown', step(8))
    const list = async (state: Parameters<typeof flows.list>[0]['state'], seconds: number) => {
      const ids: string[] = []
      for (let last: { id: string; started: Temporal.Instant } | undefined; ; ) {
        const page = await flows.list({ state, after: last, limit: 1 }, after(seconds))
        if (page.length === 0) return ids.join(' ')
        ids.push(...page.map(({ id, state: shown }) => `${id} ${shown}`))
        last = page.at(-1)
      }
    }

    assert.equal(await list(undefined, 10), 'f4 in_progress f3 in_progress f2 failed f1 completed')
    assert.equal(await list('in_progress', 10), 'f4 in_progress f3 in_progress')
    assert.equal(await list('abandoned', 10), '')
    assert.equal(await list('abandoned', flowSeconds + 1), 'f4 abandoned f3 abandoned')
    assert.equal(await list('in_progress', flowSeconds + 1), '')
    assert.equal(await list('failed', 10), 'f2 failed')
    assert.equal(await list(undefined, flowDays * 24 * 3600), 'f4 abandoned f3 abandoned')
  })

  it('has one end of six, or tokens, once it can no longer lead to a consent', async (t) => {
    const [{ flows }] = await openStores(t)
    const path = ['identify', 'passcode', 'accounts', 'confirm', 'token'] as const
    for (let length = 0; length <= path.length; length += 1) {
      await flows.add(`f${length}`, 'tp', step(0), length === 1)
      for (const name of path.slice(0, length))
        await flows.append(`f${length}`, step(1, { step: name }))
      await flows.append(`f${length}`, step(2, { outcome: 'failed', reason: 'server_error' }))
    }
    await flows.add('cancelled', 'tp', step(0))
    await flows.append('cancelled', step(1, { step: 'identify' }))
    await flows.append('cancelled', step(2, { step: 'passcode', outcome: 'cancelled' }))
    await flows.add('rejected request', 'tp', step(0, { outcome: 'failed' }))
    await flows.add('sign-in', undefined, step(0))
    await flows.add('later', 'tp', step(60))
    const period = { from: now, until: after(60) }
    const list = async (seconds: number) =>
      (await flows.countEnds(period, after(seconds)))
        .map(({ end, isOnce, count }) => `${end} ${isOnce} ${count}`)
        .sort()

    assert.deepEqual(await list(10), ['exchanged false 1', 'rejected false 1'])
    assert.deepEqual(await list(flowSeconds + codeSeconds), [
      'exchanged false 1',
      'failedTokenExchange false 1',
      'preAccountSelection false 1',
      'preAuthentication true 1',
      'preAuthorisation false 1',
      'preIdentification false 1',
      'rejected false 1',
    ])
  })

  it('is bounded in the number of steps and in time', async (t) => {
    const [{ flows }] = await openStores(t)
    await flows.add('f1', 'tp', step(0))
    for (let count = 0; count < flowStepsMax + 5; count += 1) await flows.append('f1', step(1))
    await flows.append('f1', step(2, { step: 'redirect' }), 'r1')
    await flows.append('f1', step(3, { step: 'page', outcome: 'failed' }))
    await flows.appendToConsent('r1', step(4, { step: 'token' }))

    const [flow] = await flows.list({ limit: 1 }, after(5))

    assert.deepEqual([flow?.steps.length, flow?.state], [flowStepsMax - 1, 'completed'])
    assert.equal(flow?.steps.at(-1)?.step, 'token')
    await flows.add('f2', 'tp', step(flowRetentionDays * 24 * 3600))
    assert.equal((await flows.list({ limit: 9 }, after(5))).length, 1)
  })
})

describeOnce('sign-ins to the page with consents', () => {
  it('are recorded up to a limit, since anyone can begin one', async () => {
    const added: string[] = []
    const store = {
      add: async (id: string) => void added.push(id),
      append: async () => {},
    }
    const records = openFlowRecords(store as never, () => now, assert.ifError)

    for (let count = 0; count < 400; count += 1) {
      records.signIn(`secret ${count}`, [{ step: 'identify', outcome: 'succeeded' }], true)
      // Each write ends before the next one begins: only so many may wait.
      await new Promise((resolve) => setImmediate(resolve))
    }

    assert.ok(added.length >= 300 && added.length < 400, String(added.length))
    assert.equal(new Set(added).size, added.length)
  })
})

describeOnce('rejected requests', () => {
  it('are recorded up to a limit for each third party', async () => {
    const added: string[] = []
    const store = {
      add: async (_id: string, thirdPartyId: string) => void added.push(thirdPartyId),
    }
    const records = openFlowRecords(store as never, () => now, assert.ifError)

    for (let count = 0; count < 50; count += 1) {
      records.reject('tp1', { step: 'request', outcome: 'failed', detail: 'x'.repeat(9999) })
    }
    records.reject('tp2', { step: 'request', outcome: 'failed' })

    assert.deepEqual([added.length, added.at(-1)], [21, 'tp2'])
  })
})
