import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { SignJWT } from 'jose'
import * as openid from 'openid-client'
import { type CdsEndpoint, cdsEndpoints } from '../../src/contract/cds/shared/endpoints.ts'
import { openidPaths } from '../../src/platform/consent/paths.ts'
import { buildThirdPartyDocument } from '../../src/platform/third-party-api/document.ts'
import { openDescription } from '../support/described-response.ts'
import { describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { type CallOptions, openCdsPlatform, share } from './cds.ts'
import { openCdsDescription } from './described.ts'
import { agree, type ConsentPlatform, issuer } from './platform.ts'
import {
  cdsClaims,
  fetchFrom,
  readUserInfo,
  registerThirdParty,
  type TestThirdParty,
} from './third-party.ts'

const document = buildThirdPartyDocument('0.0.0')
const findUndescribed = openDescription(document)
const openPlatform = shareOnEachEngine((scope) => openCdsPlatform(scope))
const revokePath = '/arrangements/revoke'

interface Recorded {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** A third party whose requests are recorded with their responses. */
async function registerRecorded(platform: ConsentPlatform, profile: 'plain' | 'cds') {
  const recorded: Recorded[] = []
  const thirdParty = await registerThirdParty(platform, profile)
  const send = fetchFrom(platform.port)
  const record: openid.CustomFetch = async (url, options) => {
    const response = await send(url, options)
    const text = await response.clone().text()
    recorded.push({
      method: options.method ?? 'GET',
      path: new URL(url).pathname,
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: text === '' ? undefined : JSON.parse(text),
    })
    return response
  }
  thirdParty.config[openid.customFetch] = record
  return { thirdParty, recorded, record }
}

type Registered = Awaited<ReturnType<typeof registerRecorded>>

/** Sends a form with a client assertion. */
async function post(
  { thirdParty, record }: Registered,
  path: string,
  form: Readonly<Record<string, string>>,
  claims: object = {},
) {
  const { id, keys, jwk } = thirdParty
  const iat = Math.floor(Date.now() / 1000)
  const sent = { iss: id, sub: id, aud: issuer, iat, exp: iat + 60, jti: randomUUID(), ...claims }
  const { kid } = jwk as { readonly kid: string }
  const assertion = new SignJWT(sent).setProtectedHeader({ alg: 'ES256', kid })
  await record(issuer + path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    redirect: 'manual',
    body: new URLSearchParams({
      client_id: id,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await assertion.sign(keys.privateKey),
      ...form,
    }),
  })
}

async function giveConsent(platform: ConsentPlatform, thirdParty: TestThirdParty) {
  const isCds = thirdParty.profile === 'cds'
  const started = await thirdParty.start(isCds ? cdsClaims(86_400) : { sharing_duration: '86400' })
  const browser = platform.browse()
  await browser.open(started.url)
  return thirdParty.exchange(await agree(browser, platform), started)
}

describeOnce('the OpenAPI document for third parties', () => {
  for (const profile of ['plain', 'cds'] as const) {
    it(`describes the responses of authorisation in the profile ${profile}`, async () => {
      const platform = await openPlatform()
      const registered = await registerRecorded(platform, profile)
      const { thirdParty, recorded, record } = registered
      const { config, dpop } = thirdParty
      const tokens = await giveConsent(platform, thirdParty)
      const { refresh_token: refreshToken = '' } = tokens
      await readUserInfo(thirdParty, tokens)
      const url = new URL(`${issuer}${openidPaths.userinfo}`)
      const readWith = (token: string, method: string) =>
        openid
          .fetchProtectedResource(config, token, url, method, null, new Headers(), { DPoP: dpop })
          .catch(() => undefined)
      await readWith(tokens.access_token, 'POST')
      await readWith('unknown', 'GET')
      await readWith('unknown', 'POST')
      await openid.refreshTokenGrant(config, refreshToken, undefined, { DPoP: dpop })
      await openid.tokenIntrospection(config, refreshToken)
      await openid.tokenIntrospection(config, 'unknown')
      for (const path of Object.values(openidPaths)) {
        if (path === openidPaths.authorization || path === openidPaths.jwks) continue
        if (path === openidPaths.userinfo) continue
        await post(registered, path, {})
        await post(registered, path, {}, { aud: 'https://other.example' })
      }
      const arrangement = { cdr_arrangement_id: String(tokens['cdr_arrangement_id']) }
      await post(registered, revokePath, arrangement)
      await post(registered, revokePath, arrangement)
      await post(registered, revokePath, {})
      await post(registered, revokePath, arrangement, { aud: 'https://other.example' })
      await openid.tokenRevocation(config, refreshToken)
      for (const path of [
        '/.well-known/openid-configuration',
        '/.well-known/oauth-authorization-server',
        openidPaths.jwks,
      ]) {
        await record(issuer + path, { method: 'GET', headers: {}, redirect: 'manual', body: null })
      }

      for (const answer of recorded) {
        const { method, path, status } = answer
        const found = findUndescribed(method, path, answer)
        assert.deepEqual(found, [], `${method} ${path} ${status}: ${JSON.stringify(answer.body)}`)
      }
      const succeeded = recorded.filter(({ status }) => status < 300)
      assert.deepEqual(
        new Set(succeeded.map(({ method, path }) => `${method} ${path}`)),
        new Set(listAuthorisation()),
      )
      const statuses = new Set(recorded.map(({ status }) => status))
      assert.deepEqual([...statuses].sort(), [200, 201, 204, 400, 401, 422])
    })
  }

  it('describes the errors of every endpoint for data', async () => {
    const platform = await openPlatform()
    const findUndescribedData = openCdsDescription()
    const all = Object.values<CdsEndpoint>(cdsEndpoints)
    const scopes = ['openid', ...new Set(all.map(({ scope }) => scope))]
    const sharing = await share(platform, { accounts: ['d1'], scopes })
    const [otherScope] = all.map(({ scope }) => scope)
    const narrow = await share(platform, { accounts: ['d1'], scopes: ['openid', otherScope ?? ''] })
    for (const endpoint of all) {
      const { method, path, versions, parameters } = endpoint
      const version = { 'x-v': String(versions[1]) }
      const body = method === 'POST' ? { data: { accountIds: [] } } : undefined
      const target = path.replace(/\{\w+\}/, 'unknown')
      const requests: readonly (readonly [number, string, CallOptions])[] = [
        [400, target, { headers: { 'x-v': undefined } }],
        [400, target, { headers: { 'x-v': 'one' } }],
        [400, target, { headers: { ...version, 'x-fapi-auth-date': 'today' } }],
        [406, target, { headers: { 'x-v': '99', 'x-min-v': '98' } }],
        [406, target, { headers: { ...version, accept: 'text/html' } }],
        ...('page' in parameters && !target.includes('unknown')
          ? ([
              [400, `${target}?page=0`, { headers: version }],
              [400, `${target}?page-size=9999`, { headers: version }],
              [422, `${target}?page=9999`, { headers: version }],
            ] as const)
          : []),
        ...(target.includes('unknown') ? ([[404, target, { headers: version }]] as const) : []),
        ...(method === 'POST'
          ? ([
              [400, target, { headers: version, body: {} }],
              [400, target, { headers: version, body: { data: { accountIds: 'd1' } } }],
              [422, target, { headers: version, body: { data: { accountIds: ['unknown'] } } }],
            ] as const)
          : []),
      ]
      for (const [status, url, options] of requests) {
        const answer = await sharing.call(url, { method, body, ...options })
        assert.equal(answer.status, status, `${method} ${url}: ${JSON.stringify(answer.body)}`)
        assert.deepEqual(findUndescribedData(endpoint, answer), [], `${method} ${url} ${status}`)
      }
      if (endpoint.scope === otherScope) continue
      const refused = await narrow.call(target, { method, body, headers: version })
      assert.equal(refused.status, 403)
      assert.deepEqual(findUndescribedData(endpoint, refused), [])
    }
    await platform.store.arrangements.withdraw(
      sharing.arrangementId,
      'operator',
      Temporal.Now.instant(),
    )
    for (const endpoint of all) {
      const { method } = endpoint
      const answer = await sharing.call(endpoint.path.replace(/\{\w+\}/, 'unknown'), { method })
      assert.equal(answer.status, 401)
      assert.deepEqual(findUndescribedData(endpoint, answer), [])
    }
  })
})

/** The operations of the document that are not about data. */
function listAuthorisation(): string[] {
  const paths = document['paths'] as Readonly<Record<string, object>>
  return Object.entries(paths)
    .filter(([path]) => !path.startsWith('/cds-au/'))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
}
