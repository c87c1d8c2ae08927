import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { describeOnce } from '../support/engines.ts'
import { openGuardServer } from '../support/guard-server.ts'
import { accountsPath } from '../support/small-bank.ts'
import { accountsPage, openUpstream, type Respond, respondJson } from '../support/upstream.ts'

const contactPath = '/fdx/v6/customer/c1/accounts/a1/contact'
const html = '<html><body>Sign in</body></html>'

function respond(status: number, type: string, body: string, fields: object = {}): Respond {
  return (response) => response.writeHead(status, { 'content-type': type, ...fields }).end(body)
}

describeOnce('the response of the upstream', () => {
  it('is handed on with its status, body and end-to-end header fields', async (t) => {
    const body = `\n${accountsPage} `
    const upstream = await openUpstream(t, (response) =>
      response
        .writeHead(203, {
          'content-type': 'application/json;charset=UTF-8',
          'cache-control': 'private',
          etag: '"1"',
          'x-own': ['a', 'b'],
          connection: 'keep-alive, x-hop',
          'x-hop': '1',
          'set-cookie': 'a=b',
          'alt-svc': 'h2="core.internal:9000"',
          'x-fapi-interaction-id': 'of the upstream',
        })
        .end(body),
    )
    const guard = await openGuardServer(t, upstream.address)

    const { status, text, headers } = await guard.ask(accountsPath)

    assert.deepEqual([status, text], [203, body])
    assert.equal(headers['content-type'], 'application/json;charset=UTF-8')
    assert.equal(headers['content-length'], String(body.length))
    assert.equal(headers['cache-control'], 'private')
    assert.equal(headers['etag'], '"1"')
    assert.equal(headers['x-own'], 'a, b')
    assert.equal(headers['x-hop'], undefined)
    assert.equal(headers['set-cookie'], undefined)
    assert.equal(headers['alt-svc'], undefined)
    assert.match(String(headers['x-fapi-interaction-id']), /^[\da-f-]{36}$/)
  })

  for (const pieceBytes of [1000, 60_000]) {
    it(`has its length and fields if it was received in pieces of ${pieceBytes} bytes`, async (t) => {
      const pieces = [
        '{"data":{"accounts":[]},"padding":"',
        '1'.repeat(pieceBytes),
        'é',
        '2'.repeat(pieceBytes),
        '"}',
      ]
      const upstream = await openUpstream(t, async (response) => {
        response.writeHead(200, { 'content-type': 'application/json', etag: '"1"' })
        for (const piece of pieces) {
          await new Promise<unknown>((sent) => response.write(Buffer.from(piece, 'utf8'), sent))
          await setImmediate()
        }
        response.end()
      })
      const guard = await openGuardServer(t, upstream.address)

      const { status, text, headers } = await guard.ask(accountsPath)

      assert.deepEqual([status, text], [200, pieces.join('')])
      assert.equal(headers['content-length'], String(Buffer.byteLength(text)))
      assert.equal(headers['etag'], '"1"')
    })
  }

  it('is not stored by caches if the upstream does not say otherwise', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address)

    assert.equal((await guard.ask(accountsPath)).headers['cache-control'], 'no-store')
  })

  for (const mode of ['off', 'report', 'enforce']) {
    it(`may be empty only if the operation allows it, with --validate ${mode}`, async (t) => {
      const upstream = await openUpstream(t, (response) => response.end())
      const guard = await openGuardServer(t, upstream.address, {
        validate: mode,
        'resource-url': 'https://bank.example',
      })

      const contact = await guard.ask(contactPath)
      const accounts = await guard.ask(accountsPath)

      assert.deepEqual([contact.status, contact.text], [200, ''])
      assert.deepEqual([accounts.status, accounts.text], [502, '{"error":"Bad gateway"}'])
    })
  }

  it('is not a part of a response, even if it is empty', async (t) => {
    const upstream = await openUpstream(t, (response) => response.writeHead(206).end())
    const guard = await openGuardServer(t, upstream.address, {
      'resource-url': 'https://bank.example',
    })

    const { status, text } = await guard.ask(contactPath)

    assert.deepEqual([status, text], [502, '{"error":"Bad gateway"}'])
  })

  it('may say in any case that it has no coding', async (t) => {
    const fields = { 'content-encoding': 'Identity' }
    const upstream = await openUpstream(t, respond(200, 'application/json', accountsPage, fields))
    const guard = await openGuardServer(t, upstream.address)

    assert.equal((await guard.ask(accountsPath)).text, accountsPage)
  })

  for (const [name, upstreamRespond] of Object.entries({
    'an error of the interface': respondJson('{ "error":"Customer not found" }', 404),
    'an error with other members': respondJson('{"error":"No","code":7}', 422),
    'a server error of the interface': respondJson('{"error":"Maintenance"}', 503),
    'a 500 of the interface': respondJson('{"error":"Broken"}', 500),
    'a 401 of the interface': respondJson('{"error":"Unauthorized"}', 401),
  })) {
    it(`is handed on if it is ${name}`, async (t) => {
      const upstream = await openUpstream(t, upstreamRespond)
      const guard = await openGuardServer(t, upstream.address)
      const direct = await fetch(upstream.address)

      const { status, text } = await guard.ask(accountsPath)

      assert.deepEqual([status, text], [direct.status, await direct.text()])
    })
  }

  for (const [name, upstreamRespond, status, error, retryAfter] of [
    ['a page in HTML', respond(200, 'text/html', html), 502, 'Bad gateway'],
    ['JSON without a content type', (r) => r.end(accountsPage), 502, 'Bad gateway'],
    [
      'a compressed page',
      respond(200, 'application/json', '\x1f\x8b', { 'content-encoding': 'gzip' }),
      502,
      'Bad gateway',
    ],
    [
      'a page that is compressed for the transfer',
      respond(200, 'application/json', accountsPage, { 'transfer-encoding': 'gzip, chunked' }),
      502,
      'Bad gateway',
    ],
    [
      'an error that is declared as compressed',
      respond(404, 'application/json', '{"error":"Customer not found"}', {
        'content-encoding': 'gzip',
      }),
      404,
      'Not Found',
    ],
    ['a part of a page', respond(206, 'application/json', '{'), 502, 'Bad gateway'],
    ['a 204', (r) => r.writeHead(204).end(), 502, 'Bad gateway'],
    ['a redirect', (r) => r.writeHead(302, { location: '/login' }).end(), 502, 'Bad gateway'],
    ['a 304', (r) => r.writeHead(304).end(), 502, 'Bad gateway'],
    ['a 500 in HTML', respond(500, 'text/html', html), 502, 'Bad gateway'],
    ['a 501 without a body', (r) => r.writeHead(501).end(), 502, 'Bad gateway'],
    ['a 502 in HTML', respond(502, 'text/html', html), 502, 'Bad gateway'],
    ['a 503 in HTML', respond(503, 'text/html', html), 503, 'Service unavailable', '1'],
    [
      'a 503 with Retry-After',
      respond(503, 'text/html', html, { 'retry-after': '7' }),
      503,
      'Service unavailable',
      '7',
    ],
    [
      'a 503 with a date that has passed',
      respond(503, 'text/html', html, { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' }),
      503,
      'Service unavailable',
      '0',
    ],
    [
      'a 503 with a date that is none',
      respond(503, 'text/html', html, { 'retry-after': 'Fri, 99 Dec 1999 23:59:59 GMT' }),
      503,
      'Service unavailable',
      '1',
    ],
    ['a 600 of the interface', respondJson('{"error":"Broken"}', 600), 502, 'Bad gateway'],
    ['a 504 in HTML', respond(504, 'text/html', html), 504, 'Gateway timeout'],
    ['a 401 in HTML', respond(401, 'text/html', html), 502, 'Bad gateway'],
    ['a 403 without a body', (r) => r.writeHead(403).end(), 502, 'Bad gateway'],
    ['a 407', (r) => r.writeHead(407).end(), 502, 'Bad gateway'],
    ['a 404 in HTML', respond(404, 'text/html', html), 404, 'Not Found'],
    [
      'a 400 with another JSON body',
      respondJson('{"message":"at line 3"}', 400),
      400,
      'Bad Request',
    ],
    [
      'an error that is not a text',
      respondJson('{"error":{"code":1}}', 422),
      422,
      'Unprocessable Entity',
    ],
    [
      'a 429 with Retry-After',
      respond(429, 'text/plain', 'slow', { 'retry-after': '9' }),
      429,
      'Too Many Requests',
      '9',
    ],
    ['an unknown 4xx', (r) => r.writeHead(499).end('x'), 499, 'Rejected'],
    ['a byte order mark and an error', respondJson('\ufeff{"error":"x"}', 404), 404, 'Not Found'],
    [
      'a large error',
      respond(404, 'application/json', `{"error":"${'x'.repeat(400_000)}"}`),
      404,
      'Not Found',
    ],
  ] as [string, Respond, number, string, string?][]) {
    it(`is replaced by ${status} if it is ${name}`, async (t) => {
      const upstream = await openUpstream(t, upstreamRespond)
      const guard = await openGuardServer(t, upstream.address, { validate: 'off' })

      const answer = await guard.ask(accountsPath)

      assert.deepEqual([answer.status, answer.text], [status, JSON.stringify({ error })])
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(answer.headers['retry-after'], retryAfter)
      assert.equal(upstream.requests.length, 1)
    })
  }

  it('states the seconds until the date that a 503 of the upstream has', async (t) => {
    const date = new Date(Date.now() + 3_600_000).toUTCString()
    const upstream = await openUpstream(t, respond(503, 'text/html', html, { 'retry-after': date }))
    const guard = await openGuardServer(t, upstream.address)

    const { headers } = await guard.ask(accountsPath)

    const seconds = Number(headers['retry-after'])
    assert.ok(seconds > 3000 && seconds <= 3600, `${seconds}`)
  })

  for (const [fields, expected] of [
    [{}, '1'],
    [{ 'retry-after': '20' }, '20'],
  ] as const) {
    it(`has Retry-After: ${expected} if it is a 503 of the interface with ${JSON.stringify(fields)}`, async (t) => {
      const body = '{"error":"Maintenance"}'
      const upstream = await openUpstream(t, respond(503, 'application/json', body, fields))
      const guard = await openGuardServer(t, upstream.address)

      const { text, headers } = await guard.ask(accountsPath)

      assert.deepEqual([text, headers['retry-after']], [body, expected])
    })
  }

  it('is a warning in the log if it is a server error of the interface', async (t) => {
    const upstream = await openUpstream(t, respondJson('{"error":"Broken"}', 500))
    const guard = await openGuardServer(t, upstream.address)

    await guard.ask(accountsPath)

    const [line] = guard.log().filter(({ operation }) => operation === 'B1')
    assert.deepEqual(
      [line?.['level'], line?.['status'], line?.['msg'], line?.['reason']],
      [40, 500, 'request failed', 'upstream: status 500'],
    )
  })

  it('has its reason in the log if it is replaced', async (t) => {
    const upstream = await openUpstream(t, respond(403, 'text/html', html))
    const guard = await openGuardServer(t, upstream.address)

    await guard.ask(accountsPath)

    const [line] = guard.log().filter(({ operation }) => operation === 'B1')
    assert.deepEqual(
      [line?.['status'], line?.['msg'], line?.['reason']],
      [502, 'request failed', 'upstream: credentials rejected'],
    )
  })
})
