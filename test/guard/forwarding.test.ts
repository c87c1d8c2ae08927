import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openGuardServer } from '../support/guard-server.ts'
import { accountsPath, balancesPath } from '../support/small-bank.ts'
import { openUpstream } from '../support/upstream.ts'

describeOnce('a forwarded request', () => {
  for (const [name, target] of Object.entries({
    'percent-encodings': '/v1/banking/customer/c%3a1%41%C3%A9%25/accounts',
    'dots in an id': '/v1/banking/customer/.../accounts',
    'an encoding in the route': '/v1/banking/customer/c1/%61ccounts',
    'reserved characters': "/v1/banking/customer/a:b@c=e,f$g!h'(i)*~/accounts",
    'encoded digits': `${accountsPath}?page=%31&page-size=2%35`,
    'an empty query': `${accountsPath}?`,
    'empty parameters': `${accountsPath}?&&page=1&`,
    'the order of parameters': `${accountsPath}?page-size=1&open-status=ALL&page=1`,
    'a plus sign and unicode': `${accountsPath}/a1/transactions?text=a+b%2B%C3%A9%20%26`,
  })) {
    it(`has the same path and query, with ${name}`, async (t) => {
      const upstream = await openUpstream(t)
      const guard = await openGuardServer(t, upstream.address)

      const { status, text } = await guard.ask(target)

      assert.equal(status, 200, text)
      assert.deepEqual(
        upstream.requests.map(({ url }) => url),
        [target],
      )
    })
  }

  it('has the path of an absolute request target', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address)
    const headers = ['authorization', `Bearer ${guard.mint(accountsPath)}`]

    await guard.send(`http://other.example${accountsPath}?page=1`, { headers })

    assert.equal(upstream.requests[0]?.url, `${accountsPath}?page=1`)
  })

  it('has the path of the base URL in front of its own', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, `${upstream.address}/core/v2/`)

    await guard.ask(accountsPath)

    assert.equal(upstream.requests[0]?.url, `/core/v2${accountsPath}`)
  })

  it('has the same method and body, byte for byte', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address)
    const body = ' {"data":\n{"accountIds" : ["a\\u0031", "\\u00e9é"]}}\t'

    await guard.ask(balancesPath, { method: 'POST', body })

    const [request] = upstream.requests
    assert.equal(request?.method, 'POST')
    assert.equal(request?.body, body)
    assert.equal(request?.headers['content-length'], String(Buffer.byteLength(body)))
  })

  it('has the end-to-end header fields of the client, and no others', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address)
    const interactionId = randomUUID()
    const endToEnd = [
      ...['accept', 'application/json', 'user-agent', 'platform/1'],
      ...['x-fapi-customer-ip-address', '203.0.113.7', 'x-twice', '1', 'X-Twice', '2'],
      ...['traceparent', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`],
    ]

    await guard.ask(accountsPath, {
      headers: [
        ...endToEnd,
        ...['x-fapi-interaction-id', interactionId],
        ...['connection', 'keep-alive, x-hop', 'x-hop', 'secret', 'te', 'trailers'],
        ...['proxy-authorization', 'Basic x', 'keep-alive', 'timeout=9', 'cookie', 'a=b'],
        ...['accept-encoding', 'gzip', 'range', 'bytes=0-1', 'if-none-match', '"a"'],
        ...['if-modified-since', 'Mon, 01 Jan 2024 00:00:00 GMT'],
      ],
    })

    const [request] = upstream.requests
    const pairs = toPairs(request?.rawHeaders ?? [])
    assert.deepEqual(
      pairs.sort(),
      [
        ...toPairs(endToEnd),
        `host: ${new URL(upstream.address).host}`,
        'connection: keep-alive',
        'accept-encoding: identity',
        `x-fapi-interaction-id: ${interactionId}`,
      ].sort(),
    )
  })

  for (const [name, headers] of Object.entries({
    'a charset': ['content-type', 'application/json; charset=utf-7'],
    'a second content type': ['content-type', 'text/plain'],
    'a content type that is hop-by-hop': ['connection', 'content-type'],
  })) {
    it(`has one content type, which is that of a checked body, if the client sends ${name}`, async (t) => {
      const upstream = await openUpstream(t)
      const guard = await openGuardServer(t, upstream.address)
      const body = { data: { accountIds: ['a1+ACI-,+ACI-a2'] } }
      const authorization = ['authorization', `Bearer ${guard.mint(balancesPath)}`]
      const type = name === 'a charset' ? [] : ['content-type', 'application/json']

      await guard.send(balancesPath, {
        method: 'POST',
        body,
        headers: [...authorization, ...type, ...headers],
      })

      const pairs = toPairs(upstream.requests[0]?.rawHeaders ?? [])
      assert.deepEqual(
        pairs.filter((pair) => pair.startsWith('content-type')),
        ['content-type: application/json'],
      )
    })
  }

  it('has no field that stands for another method, path or field of the guard', async (t) => {
    const upstream = await openUpstream(t)
    const file = join(await temporaryFolder(t), 'header.txt')
    writeFileSync(file, 'x-api-key: secret')
    const guard = await openGuardServer(t, upstream.address, { 'upstream-header-file': file })

    await guard.ask(accountsPath, {
      headers: [
        ...['x-http-method-override', 'DELETE', 'X-HTTP-Method', 'PUT', 'x-method-override', 'PUT'],
        ...['X-Original-URL', '/v1/other', 'x-rewrite-url', '/v1/other', 'x_original_url', '/'],
        ...['x_api_key', 'a', 'X_FAPI-Interaction_ID', 'a', 'transfer_encoding', 'chunked'],
        ...['x_own', 'kept'],
      ],
    })

    const names = toPairs(upstream.requests[0]?.rawHeaders ?? []).map((pair) => pair.split(':')[0])
    assert.deepEqual(names.sort(), [
      'accept-encoding',
      'connection',
      'host',
      'x-api-key',
      'x-fapi-interaction-id',
      'x_own',
    ])
  })

  it('has the interaction id of the response, if the client sent none or an invalid one', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address)

    const answers = [
      await guard.ask(accountsPath),
      await guard.ask(accountsPath, { headers: ['x-fapi-interaction-id', 'not a uuid'] }),
    ]

    assert.deepEqual(
      upstream.requests.map(({ headers }) => headers['x-fapi-interaction-id']),
      answers.map(({ headers }) => headers['x-fapi-interaction-id']),
    )
    assert.equal(new Set(answers.map(({ headers }) => headers['x-fapi-interaction-id'])).size, 2)
  })

  for (const name of ['x-api-key', 'Authorization']) {
    it(`has the authentication of the guard in ${name}, and never that of the client`, async (t) => {
      const upstream = await openUpstream(t)
      const file = join(await temporaryFolder(t), 'header.txt')
      writeFileSync(file, `${name}: Key secret==\n`)
      const guard = await openGuardServer(t, upstream.address, { 'upstream-header-file': file })

      await guard.ask(accountsPath, { headers: ['X-API-Key', 'of the client'] })

      const [request] = upstream.requests
      const own = name.toLowerCase()
      assert.equal(request?.headers[own], 'Key secret==')
      const sent = request?.rawHeaders.filter((_, at) => at % 2 === 0).map((f) => f.toLowerCase())
      assert.equal(sent?.filter((field) => field === own).length, 1)
      assert.doesNotMatch(String(request?.headers.authorization), /Bearer/)
    })
  }

  it('uses an open connection again', async (t) => {
    const ports = new Set<number | undefined>()
    const upstream = await openUpstream(t, (response, { socket }) => {
      ports.add(socket.remotePort)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
    const guard = await openGuardServer(t, upstream.address)

    for (let count = 0; count < 5; count += 1) await guard.ask(accountsPath)

    assert.equal(ports.size, 1)
  })
})

function toPairs(fields: readonly string[]): string[] {
  return fields.flatMap((name, at) =>
    at % 2 === 0 ? [`${name.toLowerCase()}: ${fields[at + 1]}`] : [],
  )
}
