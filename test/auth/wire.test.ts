import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { accountsPath, balancesPath } from '../support/small-bank.ts'
import { assertPasses, sharedTokenProvider } from '../support/token-provider.ts'
import { publicUrl } from '../support/tokens.ts'

const open = sharedTokenProvider()

/** Sends exactly these bytes on a new connection, and returns everything until the server closes it. */
async function exchange(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  return text(socket)
}

/** A request after which the server closes the connection. */
function lastRequest(line: string, ...headers: string[]): string {
  return [line, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n')
}

function readStatuses(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}

const bearer = (token: string) => `Authorization: Bearer ${token}`
const get = `GET ${accountsPath} HTTP/1.1`

/** The response contains no customer data. */
function assertNoData(received: string): void {
  assert.doesNotMatch(received, /"accountId"|"data"/)
}

describeOnce(
  'a request target other than the resource, with a valid token for the resource',
  () => {
    const targets: Record<string, [target: string, status: number]> = {
      'an absolute URL with the path of another customer': [
        publicUrl + accountsPath.replace('c1', 'c2'),
        401,
      ],
      'an absolute URL with another path, and the resource in its authority': [
        `http://evil.example${accountsPath}@x/`,
        404,
      ],
      'a fragment': [`${accountsPath}#x`, 401],
      'another escape': [accountsPath.replace('c1', '%631'), 401],
      'an escape of the route': [accountsPath.replace('accounts', '%61ccounts'), 401],
      'a NUL, escaped': [accountsPath.replace('c1', 'c1%00'), 401],
      'another customer, and its own in the query': [
        `${accountsPath.replace('c1', 'c2')}?${accountsPath}`,
        401,
      ],
      'two slashes': [`/${accountsPath}`, 404],
      'two slashes inside': [accountsPath.replace('/c1', '//c1'), 404],
      'a dot segment': [`/x/..${accountsPath}`, 404],
      'an escaped slash': [accountsPath.replace('/accounts', '%2Faccounts'), 404],
      'a matrix parameter': [`${accountsPath};x=1`, 404],
      'upper case': [accountsPath.toUpperCase(), 404],
      'a star': ['*', 404],
      'an invalid escape': [accountsPath.replace('c1', '%zz'), 400],
      'an escape that is not UTF-8': [accountsPath.replace('c1', '%ff'), 400],
      'a byte outside ASCII': [accountsPath.replace('c1', '\u00e9'), 400],
      'a control character': [accountsPath.replace('c1', 'c\u00011'), 400],
      backslashes: [accountsPath.replaceAll('/', '\\'), 400],
    }
    for (const [name, [target, status]] of Object.entries(targets)) {
      it(`is a ${status} and leaves the token unused: ${name}`, async () => {
        const provider = await open()
        const token = provider.mint(accountsPath)

        const received = await exchange(
          provider.port,
          lastRequest(`GET ${target} HTTP/1.1`, bearer(token)),
        )

        assert.deepEqual(readStatuses(received), [status])
        assertNoData(received)
        await assertPasses(provider, token)
      })
    }
  },
)

describeOnce('a connection', () => {
  it('rejects the second of two pipelined requests without a token', async () => {
    const provider = await open()
    const first = `${get}\r\nHost: x\r\n${bearer(provider.mint(accountsPath))}\r\n\r\n`

    const received = await exchange(provider.port, first + lastRequest(get))

    assert.deepEqual(readStatuses(received), [200, 401])
    assert.match(received.slice(received.indexOf('HTTP/1.1 401')), /^www-authenticate: Bearer\r$/m)
  })

  it('accepts a token once in three pipelined requests', async () => {
    const provider = await open()
    const token = bearer(provider.mint(accountsPath))
    const request = `${get}\r\nHost: x\r\n${token}\r\n\r\n`

    const received = await exchange(provider.port, request + request + lastRequest(get, token))

    assert.deepEqual(readStatuses(received), [200, 401, 401])
  })

  it('does not parse the body of a rejected request as another request', async () => {
    const provider = await open()
    const inner = lastRequest(get, bearer(provider.mint(accountsPath)))
    const outer = `POST ${balancesPath} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`

    const received = await exchange(
      provider.port,
      `${outer}Content-Length: ${inner.length}\r\n\r\n${inner}${lastRequest(get)}`,
    )

    assert.deepEqual(readStatuses(received), [401, 401])
  })

  for (const [name, framing] of Object.entries({
    'a length and chunked encoding': 'Content-Length: 5\r\nTransfer-Encoding: chunked',
    'an unknown coding': 'Transfer-Encoding: xchunked',
    'a coding that is not last': 'Transfer-Encoding: chunked, identity',
  })) {
    it(`is closed at a request with ${name}, and the smuggled request is ignored`, async () => {
      const provider = await open()
      const hidden = lastRequest(get, bearer(provider.mint(accountsPath)))
      const outer = `POST ${balancesPath} HTTP/1.1\r\nHost: x\r\n${bearer(provider.mint(balancesPath))}`

      const received = await exchange(
        provider.port,
        `${outer}\r\n${framing}\r\n\r\n0\r\n\r\n${hidden}`,
      )

      assert.deepEqual(readStatuses(received), [400])
      assertNoData(received)
    })
  }
})

describeOnce('an unusual request', () => {
  const requests: Record<
    string,
    (token: string) => [bytes: string, withToken: number, without: number]
  > = {
    'HTTP/1.0': (token) => [`GET ${accountsPath} HTTP/1.0\r\n${token}\r\n\r\n`, 200, 401],
    'with an upgrade to WebSocket': (token) => [
      `${get}\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n${token}\r\n\r\n`,
      200,
      401,
    ],
    'with an upgrade to HTTP/2': (token) => [
      `${get}\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n${token}\r\n\r\n`,
      200,
      401,
    ],
    'with another method in a header': (token) => [
      lastRequest(get, 'X-HTTP-Method-Override: DELETE', token),
      200,
      401,
    ],
    'with an unsupported expectation': (token) => [
      lastRequest(get, 'Expect: 200-ok', token),
      417,
      417,
    ],
    'without a host': (token) => [`${get}\r\n${token}\r\n\r\n`, 400, 400],
    'with a folded header': (token) => [
      lastRequest(get, token.replace('Bearer ', 'Bearer\r\n ')),
      400,
      400,
    ],
    'with a space before the colon': (token) => [
      lastRequest(get, token.replace(':', ' :')),
      400,
      400,
    ],
    'with a NUL': (token) => [lastRequest(get, `${token}\0`), 400, 400],
    'with bare line feeds': (token) => [lastRequest(get, token).replaceAll('\r\n', '\n'), 400, 400],
    'with an unknown minor version': (token) => [
      lastRequest(get.replace('1.1', '1.9'), token),
      400,
      400,
    ],
    'with the preface of HTTP/2': () => ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 400],
  }
  for (const [name, toBytes] of Object.entries(requests)) {
    it(`is authenticated or rejected: ${name}`, async () => {
      const provider = await open()
      const [withToken, expected] = toBytes(bearer(provider.mint(accountsPath)))
      const [without, , rejected] = toBytes('Authorization: Bearer x.y.z')

      assert.deepEqual(readStatuses(await exchange(provider.port, withToken)), [expected])
      const received = await exchange(provider.port, without)
      assert.deepEqual(readStatuses(received), [rejected])
      assertNoData(received)
    })
  }

  for (const method of ['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE', 'SOURCE']) {
    it(`is a 405 that does not echo the request: ${method}`, async () => {
      const provider = await open()
      const token = provider.mint(accountsPath)
      const request = lastRequest(
        `${method} ${accountsPath} HTTP/1.1`,
        bearer(token),
        'X-Secret: value-1234',
      )

      const received = await exchange(provider.port, request)

      assert.deepEqual(readStatuses(received), [405])
      assert.doesNotMatch(received, /value-1234|Bearer/i)
      await assertPasses(provider, token)
    })
  }

  for (const target of [accountsPath, 'evil.example:443']) {
    it(`opens no tunnel to ${target}`, async () => {
      const provider = await open()

      const received = await exchange(provider.port, lastRequest(`CONNECT ${target} HTTP/1.1`))

      assert.deepEqual(readStatuses(received), [])
    })
  }

  it('is authenticated if it waits for 100 Continue', async () => {
    const provider = await open()
    const head = [`POST ${balancesPath} HTTP/1.1`, 'Expect: 100-continue'] as const
    const body = '{"data":{"accountIds":["a1"]}}'
    const rest = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    const token = bearer(provider.mint(balancesPath))

    const rejected = await exchange(provider.port, lastRequest(...head, ...rest) + body)
    const passed = await exchange(provider.port, lastRequest(...head, ...rest, token) + body)

    assert.equal(readStatuses(rejected).at(-1), 401)
    assertNoData(rejected)
    assert.equal(readStatuses(passed).at(-1), 200)
  })

  it('cannot hide a second Authorization header behind many others', async () => {
    const provider = await open()
    const token = provider.mint(accountsPath)

    for (const count of [100, 900, 2000, 2500]) {
      const others = Array.from({ length: count }, () => 'a:')
      const request = lastRequest(get, bearer(token), ...others, 'Authorization: Bearer x.y.z')
      // Unread request data may reset the connection before the response is read.
      const received = await exchange(provider.port, request).catch(() => '')

      assert.ok([401, 431, undefined].includes(readStatuses(received)[0]), received.slice(0, 100))
    }
    await assertPasses(provider, token)
  })
})

describeOnce('a token with deep nesting', () => {
  for (const depth of [100, 2500]) {
    it(`is accepted with ${depth} levels`, async () => {
      const provider = await open()
      let nested: unknown[] = []
      for (let level = 0; level < depth; level += 1) nested = [nested]

      await assertPasses(provider, provider.mint(accountsPath, { nested }))
      await assertPasses(provider, provider.mint(accountsPath, {}, { nested }))
    })
  }
})
