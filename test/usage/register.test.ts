import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { issuer } from '../consent/addresses.ts'
import { openCdsPlatform, share } from '../consent/cds.ts'
import { openConsentPlatform } from '../consent/platform.ts'
import { fetchFrom } from '../consent/third-party.ts'
import { compileErrorSchema, compileMetricsSchema } from '../support/cds-metrics-schema.ts'
import { describe, describeOnce, type Scope, shareOnEachEngine } from '../support/engines.ts'
import { openKeyServer } from '../support/key-server.ts'
import { type Members, makeKey, mintToken, type TestKey } from '../support/tokens.ts'
import { until } from '../support/until.ts'
import { countCalls, noonZone, readCounts } from './counts.ts'

const key = makeKey('PS256', 'register-1')
const metrics = '/admin/metrics'
const metadata = '/admin/register/metadata'

async function open(scope: Scope) {
  const keys = await openKeyServer([{ ...key.jwk, use: 'sig' }])
  scope.after(() => keys.close())
  const options = { isCounting: true, registerKeys: keys.url, timeZone: noonZone() } as const
  const platform = await openCdsPlatform(scope, undefined, options)
  const send = fetchFrom(platform.port)
  const mint = (claims: Members = {}, signer: TestKey = key) => {
    const seconds = Math.floor(platform.now() / 1000)
    const valid = { iss: 'cdr-register', sub: 'cdr-register', aud: issuer, exp: seconds + 300 }
    return mintToken(
      { ...valid, iat: seconds, jti: randomUUID(), ...claims },
      { alg: signer.alg, typ: 'JWT', kid: signer.kid },
      signer,
    )
  }
  return {
    platform,
    mint,
    async call(path: string, { token = mint(), sent = null, headers = {} }: CallOptions = {}) {
      const response = await send(`${issuer}/cds-au/v1${path}`, {
        method: sent === null ? 'GET' : 'POST',
        headers: {
          'x-v': path === metadata ? '1' : '5',
          ...(token !== '' && { authorization: `Bearer ${token}` }),
          ...(sent !== null && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: sent === null ? null : JSON.stringify(sent),
        redirect: 'manual',
      })
      const body: ReturnType<JSON['parse']> = await response.json()
      return { status: response.status, headers: response.headers, body }
    },
  }
}

interface CallOptions {
  readonly token?: string
  readonly sent?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

function assertValid(validate: ValidateFunction, body: object): void {
  assert.ok(validate(body), JSON.stringify(validate.errors))
}

const setUp = shareOnEachEngine(open)
const present = { 'x-fapi-customer-ip-address': '203.0.113.7' }

describe('the register', () => {
  it('reads the calls that third parties made', async () => {
    const { platform, call } = await setUp()
    const { call: callData } = await share(platform)
    const callOpenly = fetchFrom(platform.port)
    for (let count = 0; count < 3; count += 1) {
      await callData('/banking/accounts', { headers: { 'x-v': '3', ...present } })
    }
    await callData('/banking/accounts/unknown/balance')
    for (const version of ['4', '99', '4']) {
      await callOpenly(`${issuer}/cds-au/v1/banking/products`, {
        method: 'GET',
        headers: { 'x-v': version },
        body: null,
        redirect: 'manual',
      })
    }
    // Metadata, a pushed request, an authorization request and tokens; then those above.
    const callCount = 4 + 3 + 1 + 3
    await until(async () => {
      await platform.usage?.callCounts.write()
      return countCalls(await readCounts(platform.database)) === callCount
    })

    const { status, headers, body } = await call(`${metrics}?period=CURRENT`)

    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(headers.get('x-v'), '5')
    assertValid(compileMetricsSchema(5), body)
    assert.equal(body.links.self, `${issuer}/cds-au/v1${metrics}?period=CURRENT`)
    const { invocations, sessionCount, errors, rejections } = body.data
    const tiers = Object.entries(invocations as Record<string, { currentDay: number }>)
    assert.deepEqual(
      Object.fromEntries(tiers.map(([tier, { currentDay }]) => [tier, currentDay])),
      {
        unauthenticated: 3,
        highPriority: 7,
        lowPriority: 0,
        unattended: 1,
        largePayload: 0,
      },
    )
    assert.deepEqual(sessionCount, { currentDay: 1 })
    assert.deepEqual(errors, {
      aggregate: { currentDay: 0 },
      unauthenticated: { currentDay: { 406: 1 } },
      authenticated: { currentDay: { 404: 1 } },
    })
    assert.deepEqual(rejections, {
      authenticated: { currentDay: 0 },
      unauthenticated: { currentDay: 0 },
    })
    assert.deepEqual([body.data.customerCount, body.data.recipientCount], [1, 1])
    assert.deepEqual(body.data.authorisations.newAuthorisationCount.currentDay, {
      onceOff: { individual: 0, nonIndividual: 0 },
      ongoing: { individual: 1, nonIndividual: 0 },
    })
  })

  it('selects the version and the period', async () => {
    const { call } = await setUp()
    const read = (headers: Readonly<Record<string, string>>, query = '') =>
      call(metrics + query, { headers })

    const lower = await read({ 'x-v': '7', 'x-min-v': '4' })
    const four = await read({ 'x-v': '4' })
    const historic = await read({}, '?period=HISTORIC')

    assert.equal(lower.headers.get('x-v'), '5')
    assert.equal(four.headers.get('x-v'), '4')
    assertValid(compileMetricsSchema(4), four.body)
    assert.deepEqual(historic.body.data.sessionCount, { previousDays: [] })
    for (const [headers, query, status] of [
      [{ 'x-v': '3' }, '', 406],
      [{ 'x-v': 'five' }, '', 400],
      [{}, '?period=YESTERDAY', 400],
      [{}, '?period=ALL&period=CURRENT', 400],
    ] as const) {
      const rejected = await read(headers, query)
      assert.equal(rejected.status, status)
      assertValid(compileErrorSchema(), rejected.body)
    }
  })

  it('asks the platform to refresh its metadata, which the log says', async () => {
    const { platform, call } = await setUp()

    const { status, headers } = await call(metadata, { sent: { data: { action: 'REFRESH' } } })

    assert.deepEqual([status, headers.get('x-v')], [200, '1'])
    assert.ok(platform.log.some((line) => line.includes('metadata update requested')))
    for (const body of [
      {},
      { data: {} },
      { data: { action: 'DELETE' } },
      { data: 'REFRESH' },
      [],
    ]) {
      const rejected = await call(metadata, { sent: body })
      assert.equal(rejected.status, 400, JSON.stringify(body))
      assertValid(compileErrorSchema(), rejected.body)
    }
  })

  it('is authenticated by a token that it has signed for one use', async () => {
    const { call, mint, platform } = await setUp()
    const seconds = Math.floor(platform.now() / 1000)
    const used = mint()
    assert.equal((await call(metrics, { token: used })).status, 200)
    const invalid = {
      'that was used': used,
      'of another issuer': mint({ iss: 'tp' }),
      'of another subject': mint({ sub: 'tp' }),
      'for the path': mint({ aud: `${issuer}/cds-au/v1${metrics}` }),
      'that has expired': mint({ exp: seconds - 60 }),
      'without an end': mint({ exp: undefined }),
      'without an ID': mint({ jti: undefined }),
      'with the key of another': mint({}, { ...makeKey('PS256', key.kid), kid: 'other' }),
      'that is missing': '',
    }
    for (const [name, token] of Object.entries(invalid)) {
      for (const options of [{ path: metrics }, { path: metadata, sent: {} }]) {
        const { status, headers, body } = await call(options.path, { token, ...options })
        assert.equal(status, 401, name)
        assert.match(headers.get('www-authenticate') ?? '', /^Bearer/)
        assertValid(compileErrorSchema(), body)
      }
    }
  })

  it('calls no path that the documentation lists as not served', async () => {
    const { call } = await setUp()
    const document = readFileSync('docs/reference/cds-endpoints.md', 'utf8')
    const [, list = ''] = document.split('## Endpoints that are not served')
    const paths = [...(list.split('##')[0] ?? '').matchAll(/^- `(\S+)`$/gm)].map(
      ([, path = '']) => path,
    )
    assert.ok(paths.length > 10)

    for (const path of paths) {
      for (const sent of [null, {}]) {
        const { status, body } = await call(path, { sent })
        const title = body.errors?.[0]?.title
        assert.deepEqual([status, title], [404, 'Resource Not Implemented'], path)
      }
    }
  })
})

describeOnce('without the keys of the register', () => {
  it('nothing is served to it', async (t) => {
    const platform = await openConsentPlatform(t, { isCounting: true })
    const response = await fetchFrom(platform.port)(`${issuer}/cds-au/v1${metrics}`, {
      method: 'GET',
      headers: { 'x-v': '5' },
      body: null,
      redirect: 'manual',
    })

    assert.equal(response.status, 404)
  })
})
