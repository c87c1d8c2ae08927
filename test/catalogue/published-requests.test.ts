import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ContractError } from '../../src/contract/index.ts'
import { describeOnce } from '../support/engines.ts'
import { openPlatform, sharedPlatform } from '../support/platform.ts'
import { minimalProduct, productWithFields } from './products.ts'
import {
  assertCdsError,
  detailVersion,
  getDetail,
  getList,
  listVersion,
  publishedPath,
} from './published.ts'

describeOnce('the version of published products', () => {
  const open = sharedPlatform()

  for (const [requested, minimum, list, detail] of [
    ['5', undefined, '5', '5'],
    ['3', undefined, '3', 406],
    ['4', undefined, '4', '4'],
    ['6', undefined, 406, '6'],
    ['7', undefined, 406, '7'],
    ['7', '1', '5', '7'],
    ['999999999', '5', '5', '7'],
    ['9'.repeat(400), '5', '5', '7'],
    ['9'.repeat(400), undefined, 406, 406],
    ['5', '9'.repeat(400), '5', '5'],
    ['9', '6', 406, '7'],
    ['9', '8', 406, 406],
    ['4', '4', '4', '4'],
    ['4', '9', '4', '4'],
    ['2', '1', 406, 406],
    ['0', undefined, 400, 400],
    ['-1', undefined, 400, 400],
    ['1.5', undefined, 400, 400],
    ['v5', undefined, 400, 400],
    ['', undefined, 400, 400],
    ['5', 'x', 400, 400],
    ['5', '', 400, 400],
    ['5', 'undefined', 400, 400],
    ['undefined', undefined, 400, 400],
    [undefined, undefined, 400, 400],
    [undefined, '5', 400, 400],
  ] as const) {
    it(`with x-v ${requested} and x-min-v ${minimum} is ${list} and ${detail}`, async () => {
      const platform = await open()
      const id = await platform.made(minimalProduct)
      const headers = {
        ...(requested !== undefined && { 'x-v': requested }),
        ...(minimum !== undefined && { 'x-min-v': minimum }),
      }

      // A request like it that was valid must not answer this one.
      await getList(platform, '', { 'x-v': '5' })
      for (const [answer, expected] of [
        [await getList(platform, '', headers), list],
        [await getDetail(platform, id, headers), detail],
      ] as const) {
        if (typeof expected === 'string') {
          assert.deepEqual([answer.status, answer.headers['x-v']], [200, expected])
        } else if (expected === 406) {
          assertCdsError(answer, 406, 'Header/UnsupportedVersion')
        } else {
          const code = requested === undefined ? 'Header/Missing' : 'Header/InvalidVersion'
          assertCdsError(answer, 400, code)
        }
      }
    })
  }
})

describeOnce('a request for published products', () => {
  const open = sharedPlatform()

  it('may come from any origin, which can also read a rejection by the limits', async (t) => {
    const platform = await openPlatform(t, { limits: { inFlightMax: 0, inFlightMin: 0 } })

    const rejected = await getList(platform, '', { 'x-v': '5' })

    assertCdsError(rejected, 503, 'Service/Unavailable')
    assert.equal(rejected.headers['access-control-allow-origin'], '*')
    assert.match(rejected.headers['access-control-expose-headers'] ?? '', /retry-after/)
  })

  it('needs no token and may come from any origin', async () => {
    const platform = await open()
    const id = await platform.made(minimalProduct)
    const origin = { origin: 'https://compare.example' }

    for (const answer of [
      await getList(platform, '', { ...listVersion, ...origin }),
      await getDetail(platform, id, { ...detailVersion, ...origin }),
      await getList(platform, '?page=x', { ...listVersion, ...origin }),
      await getDetail(platform, 'unknown', { ...detailVersion, ...origin }),
      await getList(platform, '', origin),
    ]) {
      assert.equal(answer.headers['access-control-allow-origin'], '*')
      const exposed = answer.headers['access-control-expose-headers']?.split(', ') ?? []
      assert.ok(exposed.includes('x-v') && exposed.includes('x-fapi-interaction-id'))
    }
  })

  it('may have the headers of the standards in a browser', async () => {
    const platform = await open()

    for (const path of [publishedPath, `${publishedPath}/x`]) {
      const { status, headers } = await platform.send(path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://compare.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'x-v,x-min-v',
        },
      })

      assert.equal(status, 204)
      assert.equal(headers['access-control-allow-origin'], '*')
      assert.equal(headers['access-control-allow-methods'], 'GET')
      const allowed = headers['access-control-allow-headers']?.split(', ') ?? []
      assert.ok(allowed.includes('x-v') && allowed.includes('x-min-v'), String(allowed))
    }
  })

  it('gets a 304 while the response is unchanged', async (t) => {
    const platform = await openPlatform(t)
    const id = await platform.made(minimalProduct)
    for (const [get, headers] of [
      [(sent: object) => getList(platform, '', { ...listVersion, ...sent }), listVersion],
      [(sent: object) => getDetail(platform, id, { ...detailVersion, ...sent }), detailVersion],
    ] as const) {
      const first = await get({})
      const { etag = '' } = first.headers
      assert.equal(first.headers['cache-control'], 'public, max-age=60')
      assert.match(first.headers['vary'] ?? '', /x-min-v, x-v/)

      const second = await get({ 'if-none-match': `"other", W/${etag}` })
      assert.deepEqual([second.status, second.text, second.headers['etag']], [304, '', etag])
      assert.equal(second.headers['x-v'], headers['x-v'])
      assert.equal((await get({ 'if-none-match': '"other"' })).status, 200)
    }
    const { headers } = await getList(platform)
    await platform.replace(id, productWithFields({ name: 'Changed' }))
    const changed = await getList(platform, '', {
      ...listVersion,
      'if-none-match': headers['etag'] ?? '',
    })
    assert.equal(changed.status, 200)
  })

  it('gets a 503 of the standards while the database is unavailable, and recovers', async (t) => {
    let isAvailable = false
    const platform = await openPlatform(t, {
      around: (store) => ({
        ...store,
        async listVersions(after, limit) {
          if (!isAvailable) throw new ContractError('unavailable', 'no connection')
          return store.listVersions(after, limit)
        },
      }),
    })
    await platform.made(minimalProduct)

    for (const answer of await Promise.all([getList(platform), getDetail(platform, 'x')])) {
      assertCdsError(answer, 503, 'Service/Unavailable')
      assert.equal(answer.headers['retry-after'], '1')
      assert.equal(answer.headers['access-control-allow-origin'], '*')
    }
    isAvailable = true
    assert.equal((await getList(platform)).body.meta.totalRecords, 1)
  })

  it('keeps errors out of caches', async () => {
    const platform = await open()

    const { headers } = await getList(platform, '?page=0')

    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['etag'], undefined)
  })

  it('gets its interaction id back, or a new one', async () => {
    const platform = await open()
    const id = '5f3b7c1e-6f0a-4f0e-9d5b-0c9e0f6a7b10'

    const given = await getList(platform, '', { ...listVersion, 'x-fapi-interaction-id': id })
    const made = await getList(platform, '', { ...listVersion, 'x-fapi-interaction-id': 'x' })

    assert.equal(given.headers['x-fapi-interaction-id'], id)
    assert.match(made.headers['x-fapi-interaction-id'] ?? '', /^[\da-f-]{36}$/)
  })

  it('gets links to the address of the server, whatever host it names', async () => {
    const platform = await open()
    const host = { host: 'attacker.example', 'x-forwarded-host': 'attacker.example' }

    const { body } = await getList(platform, '', { ...listVersion, ...host })

    assert.match(body.links.self, new RegExp(`^http://127\\.0\\.0\\.1:${platform.port}/cds-au/v1/`))
  })

  for (const [accept, status] of [
    ['application/json', 200],
    ['text/html, */*;q=0.8', 200],
    ['APPLICATION/JSON; charset=utf-8', 200],
    ['text/html', 406],
    ['application/jsonx', 406],
  ] as const) {
    it(`that accepts ${accept} gets ${status}`, async () => {
      const platform = await open()

      const answer = await getList(platform, '', { ...listVersion, accept })

      assert.equal(answer.status, status)
      if (status === 406) assertCdsError(answer, 406, 'GeneralError/Expected')
    })
  }

  for (const [query, status, code] of [
    ['?page=0', 400, 'Field/Invalid'],
    ['?page=x', 400, 'Field/Invalid'],
    ['?page=1&page=2', 400, 'Field/Invalid'],
    ['?page=99999', 422, 'Field/InvalidPage'],
    ['?page=9007199254740991&page-size=1000', 422, 'Field/InvalidPage'],
    ['?page-size=1001', 400, 'Field/InvalidPageSize'],
    ['?page-size=0', 400, 'Field/Invalid'],
    ['?effective=PAST', 400, 'Field/Invalid'],
    ['?effective=current', 400, 'Field/Invalid'],
    ['?product-category=SAVINGS', 400, 'Field/Invalid'],
    ['?updated-since=yesterday', 400, 'Field/InvalidDateTime'],
    ['?updated-since=2026-02-30T00:00:00Z', 400, 'Field/InvalidDateTime'],
  ] as const) {
    it(`with ${query} gets ${code}`, async () => {
      assertCdsError(await getList(await open(), query), status, code)
    })
  }

  it('with HEAD gets the headers of GET', async () => {
    const platform = await open()
    const get = await platform.send(publishedPath, { headers: listVersion })

    const head = await platform.send(publishedPath, { method: 'HEAD', headers: listVersion })

    assert.deepEqual([head.status, head.text], [200, ''])
    for (const name of ['etag', 'x-v', 'content-type', 'content-length', 'cache-control']) {
      assert.equal(head.headers[name], get.headers[name], name)
    }
  })

  it('with a method that the path does not have learns which it has', async () => {
    const platform = await open()

    for (const method of ['POST', 'DELETE', 'PUT']) {
      const answer = await platform.send(publishedPath, { method, headers: listVersion })

      assertCdsError(answer, 405, 'GeneralError/Expected')
      assert.equal(answer.headers['allow'], 'GET, HEAD, OPTIONS')
    }
  })

  for (const path of ['/banking/products/%', '/banking/products/%zz', '/energy/plans/%ff', '/%']) {
    it(`to ${path}, which cannot be decoded, gets an error of the standards`, async () => {
      const { send } = await open()

      const answer = await send(`/cds-au/v1${path}`, { headers: listVersion })

      assertCdsError(answer, 400, 'GeneralError/Expected')
      assert.equal(answer.body.errors[0].detail, 'the path must be a valid URL path')
      assert.ok(answer.headers['x-fapi-interaction-id'])
      const origin = path.startsWith('/banking') ? '*' : undefined
      assert.equal(answer.headers['access-control-allow-origin'], origin)
    })
  }

  for (const [path, code] of [
    ['/banking/accounts', 'Resource/NotImplemented'],
    ['/banking/products/x/y', 'Resource/NotFound'],
    ['/', 'Resource/NotFound'],
  ] as const) {
    it(`to ${path} gets ${code} without the consent role`, async () => {
      const { get } = await open()

      assertCdsError(await get(`/cds-au/v1${path}`, listVersion), 404, code)
    })
  }
})
