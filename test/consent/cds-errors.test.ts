import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { it } from 'node:test'
import { decodeJwt } from 'jose'
import { cdsEndpoints } from '../../src/contract/cds/shared/endpoints.ts'
import { publishedEndpoints } from '../../src/platform/catalogue/published-answers.ts'
import { discoveryEndpoints } from '../../src/platform/cds/discovery.ts'
import { standardPaths } from '../../src/platform/cds/paths.ts'
import { describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { assertError, openCdsPlatform, share } from './cds.ts'

const served: readonly string[] = [
  ...Object.values(cdsEndpoints),
  ...Object.values(publishedEndpoints),
  ...Object.values(discoveryEndpoints),
].map(({ path }) => path)
const omittedPaths = standardPaths.filter((path) => !served.includes(path))

const sharingOnce = shareOnEachEngine(async (scope) => {
  const platform = await openCdsPlatform(scope)
  const sharing = await share(platform, { accounts: ['d1', 'd2'] })
  const { body } = await sharing.call('/banking/accounts', { headers: { 'x-v': '3' } })
  const [account] = body.data.accounts
  return { platform, sharing, accountId: String(account.accountId) }
})

describeOnce('the version of a response', () => {
  for (const [name, headers, expected] of [
    ['the requested one', { 'x-v': '1' }, '1'],
    ['the highest one, if more is requested', { 'x-v': '9', 'x-min-v': '1' }, '2'],
    [
      'the highest one, if a minimum above the request is ignored',
      { 'x-v': '2', 'x-min-v': '5' },
      '2',
    ],
  ] as const) {
    it(`is ${name}`, async () => {
      const { sharing, accountId } = await sharingOnce()
      const path = `/banking/accounts/${accountId}/transactions`

      const answer = await sharing.call(path, { headers })

      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      assert.equal(answer.headers.get('x-v'), expected)
    })
  }

  for (const [headers, status, code] of [
    [{ 'x-v': '' }, 400, 'Header/InvalidVersion'],
    [{ 'x-v': '0' }, 400, 'Header/InvalidVersion'],
    [{ 'x-v': '1.0' }, 400, 'Header/InvalidVersion'],
    [{ 'x-v': '-1' }, 400, 'Header/InvalidVersion'],
    [{ 'x-v': '1', 'x-min-v': 'one' }, 400, 'Header/InvalidVersion'],
    [{ 'x-v': '1' }, 406, 'Header/UnsupportedVersion'],
    [{ 'x-v': '9' }, 406, 'Header/UnsupportedVersion'],
    [{ 'x-v': '9'.repeat(40) }, 406, 'Header/UnsupportedVersion'],
    [{ 'x-v': '9', 'x-min-v': '4' }, 406, 'Header/UnsupportedVersion'],
  ] as const) {
    it(`is an error for ${JSON.stringify(headers).slice(0, 40)}: ${code}`, async () => {
      const { sharing } = await sharingOnce()

      const answer = await sharing.call('/banking/accounts', { headers })

      assertError(answer, status, `cds-all:${code}`)
    })
  }

  it('must be requested', async () => {
    const { sharing } = await sharingOnce()

    const { status, body } = await sharing.call('/common/customer', {
      headers: { 'x-v': undefined },
    })

    assert.equal(status, 400)
    assert.deepEqual(body.errors, [
      {
        code: 'urn:au-cds:error:cds-all:Header/Missing',
        title: 'Missing Required Header',
        detail: 'x-v',
      },
    ])
  })
})

describeOnce('an invalid parameter', () => {
  for (const [query, status, code, detail] of [
    ['page=0', 400, 'Field/Invalid', /^page must be a whole number/],
    ['page=x', 400, 'Field/Invalid', /^page must be/],
    ['page=1&page=2', 400, 'Field/Invalid', /^page must be given once$/],
    ['page-size=0', 400, 'Field/Invalid', /^page-size must be/],
    ['page-size=1001', 400, 'Field/InvalidPageSize', /^page-size must be .* 1 to 1000$/],
    ['page=3', 422, 'Field/InvalidPage', /^the last page is 1$/],
    ['oldest-time=yesterday', 400, 'Field/InvalidDateTime', /^oldest-time must be an RFC 3339/],
    ['newest-time=2026-02-30T00:00:00Z', 400, 'Field/InvalidDateTime', /^newest-time/],
    ['min-amount=1e3', 400, 'Field/Invalid', /^min-amount must be/],
    [`text=${'x'.repeat(1001)}`, 400, 'Field/Invalid', /^text must be/],
  ] as const) {
    it(`is reported by name: ${query.slice(0, 40)}`, async () => {
      const { sharing, accountId } = await sharingOnce()

      const answer = await sharing.call(`/banking/accounts/${accountId}/transactions?${query}`)

      assertError(answer, status, `cds-all:${code}`)
      assert.match(answer.body.errors[0].detail, detail)
    })
  }

  for (const [name, body, code] of [
    ['no data', {}, 'Field/Missing'],
    ['no list', { data: {} }, 'Field/Missing'],
    ['a list of numbers', { data: { accountIds: [1] } }, 'Field/Invalid'],
    ['a long list', { data: { accountIds: Array(1001).fill('x') } }, 'Field/Invalid'],
    ['no object', [1], 'Field/Missing'],
  ] as const) {
    it(`of a body is reported by name: ${name}`, async () => {
      const { sharing } = await sharingOnce()

      const answer = await sharing.call('/banking/accounts/balances', { method: 'POST', body })

      assertError(answer, 400, `cds-all:${code}`)
      assert.match(answer.body.errors[0].detail, /^data\.accountIds/)
    })
  }

  it('is not read before the token: without one, every body is a 401', async () => {
    const { platform } = await sharingOnce()

    const { status, body } = await send(platform.port, '/cds-au/v1/banking/accounts/balances', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'x'.repeat(2 ** 21),
    })

    assert.equal(status, 401)
    assert.equal(body.errors[0].code, 'urn:au-cds:error:cds-all:GeneralError/Expected')
  })

  for (const [name, status, options] of [
    ['that is not JSON', 415, { body: {}, headers: { 'content-type': 'text/plain' } }],
    ['that is compressed', 415, { body: {}, headers: { 'content-encoding': 'gzip' } }],
    ['that is too large', 413, { body: { data: 'x'.repeat(2 ** 21) } }],
  ] as const) {
    it(`of a body ${name} is a ${status} with an error list`, async () => {
      const { sharing } = await sharingOnce()
      const path = '/banking/accounts/balances'

      const answer = await sharing.call(path, { method: 'POST', ...options })

      assertError(answer, status, 'cds-all:GeneralError/Expected')
    })
  }

  it('is ignored if the endpoint does not have it', async () => {
    const { sharing } = await sharingOnce()

    const { status } = await sharing.call('/common/customer?page=x&constructor=1&__proto__=2')

    assert.equal(status, 200)
  })
})

describeOnce('a path', () => {
  it('of the standards that is not served is not implemented', async () => {
    const { platform } = await sharingOnce()

    // The paths of instalment plans are of version 1.35.
    const plans = ['/banking/accounts/x/payments/plans', '/banking/accounts/payments/plans']
    for (const path of [...omittedPaths, ...plans]) {
      const answer = await send(platform.port, `/cds-au/v1${path.replaceAll(/[{}]/g, '')}`)

      assert.equal(answer.status, 404)
      assert.equal(
        answer.body.errors[0].code,
        'urn:au-cds:error:cds-all:Resource/NotImplemented',
        path,
      )
    }
  })

  it('that the standards do not have is not found', async () => {
    const { platform } = await sharingOnce()

    for (const path of ['/', '/banking', '/banking/accounts/x/y/z', '/x']) {
      const { status, body } = await send(platform.port, `/cds-au/v1${path}`)

      assert.equal(status, 404)
      assert.equal(body.errors[0].code, 'urn:au-cds:error:cds-all:Resource/NotFound', path)
    }
  })

  it('that cannot be decoded is invalid', async () => {
    const { platform } = await sharingOnce()

    for (const path of [
      '/banking/accounts/%/balance',
      '/banking/accounts/%zz/transactions',
      '/%',
    ]) {
      const { status, body } = await send(platform.port, `/cds-au/v1${path}`)

      assert.equal(status, 400)
      const [{ code, detail }] = body.errors
      assert.equal(code, 'urn:au-cds:error:cds-all:GeneralError/Expected', path)
      assert.equal(detail, 'the path must be a valid URL path')
    }
    const page = await send(platform.port, '/consent/%')
    assert.deepEqual([page.status, page.headers['content-type']], [400, 'text/html; charset=utf-8'])
  })

  it('with another method states the methods that it has', async () => {
    const { platform } = await sharingOnce()

    const answer = await send(platform.port, '/cds-au/v1/banking/accounts/balances', {
      method: 'DELETE',
    })

    assert.deepEqual([answer.status, answer.headers['allow']], [405, 'GET, POST'])
    assert.equal(answer.body.errors[0].code, 'urn:au-cds:error:cds-all:GeneralError/Expected')
  })
})

describeOnce('a request to the provider', () => {
  it('has a signed token of its own, and the interaction id of the third party', async (t) => {
    const { platform, sharing } = await sharingOnce()
    const requests: IncomingMessage[] = []
    const onRequest = (message: unknown) => {
      const { request } = message as { readonly request: IncomingMessage }
      if (request.url?.startsWith('/auth/')) requests.push(request)
    }
    subscribe('http.server.request.start', onRequest)
    t.after(() => unsubscribe('http.server.request.start', onRequest))
    const interactionId = randomUUID()

    const answers = [
      await sharing.call('/common/customer', {
        headers: { 'x-fapi-interaction-id': interactionId },
      }),
      await sharing.call('/common/customer'),
    ]

    const ids = answers.map(({ headers }) => headers.get('x-fapi-interaction-id'))
    assert.equal(ids[0], interactionId)
    assert.match(ids[1] ?? '', /^[\da-f-]{36}$/)
    assert.deepEqual(
      requests.map(({ headers }) => headers['x-fapi-interaction-id']),
      ids,
    )
    const tokens = requests.map(({ headers }) =>
      decodeJwt(headers.authorization?.replace('Bearer ', '') ?? ''),
    )
    assert.deepEqual(
      tokens.map(({ iss, sub, aud }) => [iss, sub, aud]),
      Array(2).fill(['bank', 'bank', `${platform.provider.address}/auth/v1/customer/ana`]),
    )
    assert.notEqual(tokens[0]?.jti, tokens[1]?.jti)
  })
})

describeOnce('an unavailable provider', () => {
  it('is a 503 that says when to retry', async (t) => {
    const platform = await openCdsPlatform(t)
    const sharing = await share(platform)
    await platform.provider.close()

    const answer = await sharing.call('/banking/accounts', { headers: { 'x-v': '3' } })

    assertError(answer, 503, 'cds-all:Service/Unavailable')
    assert.equal(answer.headers.get('retry-after'), '5')
    assert.match(platform.log.join(''), /"operation":"cds-accounts","status":503/)
  })

  it('is not asked about accounts that the customer did not share', async (t) => {
    const platform = await openCdsPlatform(t)
    const sharing = await share(platform)
    await platform.provider.close()

    const answer = await sharing.call('/banking/accounts/d4/balance')

    assertError(answer, 404, 'cds-banking:Authorisation/InvalidBankingAccount')
  })
})
