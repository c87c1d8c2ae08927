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

/** Says exactly these bytes on a connection of its own, and hears all until the server hangs up. */
async function say(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  return text(socket)
}

/** A request after which the server hangs up. */
function last(line: string, ...headers: string[]): string {
  return [line, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n')
}

function statusesIn(heard: string): number[] {
  return [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}

const bearer = (token: string) => `Authorization: Bearer ${token}`
const get = `GET ${accountsPath} HTTP/1.1`

/** Nothing of a customer, whatever else is said. */
function assertTellsNothing(heard: string): void {
  assert.doesNotMatch(heard, /"accountId"|"data"/)
}

describeOnce('a request target other than the resource, with a good token of the resource', () => {
  const targets: Record<string, [target: string, status: number]> = {
    'the address of another host': [`http://evil.example${accountsPath}`, 401],
    'its own address': [publicUrl + accountsPath, 401],
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
    'other letters': [accountsPath.toUpperCase(), 404],
    'a star': ['*', 404],
    'a broken escape': [accountsPath.replace('c1', '%zz'), 400],
    'an escape that is not UTF-8': [accountsPath.replace('c1', '%ff'), 400],
    'a byte beyond ASCII': [accountsPath.replace('c1', '\u00e9'), 400],
    'a control character': [accountsPath.replace('c1', 'c\u00011'), 400],
    backslashes: [accountsPath.replaceAll('/', '\\'), 400],
  }
  for (const [name, [target, status]] of Object.entries(targets)) {
    it(`is a ${status} and spends nothing: ${name}`, async () => {
      const provider = await open()
      const token = provider.mint(accountsPath)

      const heard = await say(provider.port, last(`GET ${target} HTTP/1.1`, bearer(token)))

      assert.deepEqual(statusesIn(heard), [status])
      assertTellsNothing(heard)
      await assertPasses(provider, token)
    })
  }
})

describeOnce('a connection', () => {
  it('has no trust in the second of two requests that are sent at once', async () => {
    const provider = await open()
    const first = `${get}\r\nHost: x\r\n${bearer(provider.mint(accountsPath))}\r\n\r\n`

    const heard = await say(provider.port, first + last(get))

    assert.deepEqual(statusesIn(heard), [200, 401])
    assert.match(heard.slice(heard.indexOf('HTTP/1.1 401')), /^www-authenticate: Bearer\r$/m)
  })

  it('lets one token pass once of three times sent at once', async () => {
    const provider = await open()
    const token = bearer(provider.mint(accountsPath))
    const request = `${get}\r\nHost: x\r\n${token}\r\n\r\n`

    const heard = await say(provider.port, request + request + last(get, token))

    assert.deepEqual(statusesIn(heard), [200, 401, 401])
  })

  it('does not take the body of a refused request for another request', async () => {
    const provider = await open()
    const inner = last(get, bearer(provider.mint(accountsPath)))
    const outer = `POST ${balancesPath} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`

    const heard = await say(
      provider.port,
      `${outer}Content-Length: ${inner.length}\r\n\r\n${inner}${last(get)}`,
    )

    assert.deepEqual(statusesIn(heard), [401, 401])
  })

  for (const [name, framing] of Object.entries({
    'a length and chunks': 'Content-Length: 5\r\nTransfer-Encoding: chunked',
    'an unknown coding': 'Transfer-Encoding: xchunked',
    'a coding that is not last': 'Transfer-Encoding: chunked, identity',
  })) {
    it(`is ended at a request that is framed by ${name}, with what hides in it`, async () => {
      const provider = await open()
      const hidden = last(get, bearer(provider.mint(accountsPath)))
      const outer = `POST ${balancesPath} HTTP/1.1\r\nHost: x\r\n${bearer(provider.mint(balancesPath))}`

      const heard = await say(provider.port, `${outer}\r\n${framing}\r\n\r\n0\r\n\r\n${hidden}`)

      assert.deepEqual(statusesIn(heard), [400])
      assertTellsNothing(heard)
    })
  }
})

describeOnce('a way of asking that is seldom seen', () => {
  const ways: Record<string, (token: string) => [bytes: string, good: number, bare: number]> = {
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
      last(get, 'X-HTTP-Method-Override: DELETE', token),
      200,
      401,
    ],
    'with an expectation that nobody can meet': (token) => [
      last(get, 'Expect: 200-ok', token),
      417,
      417,
    ],
    'without a host': (token) => [`${get}\r\n${token}\r\n\r\n`, 400, 400],
    'with a header that goes on in the next line': (token) => [
      last(get, token.replace('Bearer ', 'Bearer\r\n ')),
      400,
      400,
    ],
    'with a blank before the colon': (token) => [last(get, token.replace(':', ' :')), 400, 400],
    'with a NUL': (token) => [last(get, `${token}\0`), 400, 400],
    'in lines without a return': (token) => [last(get, token).replaceAll('\r\n', '\n'), 400, 400],
    'in another version': (token) => [last(get.replace('1.1', '1.9'), token), 400, 400],
    'in the version of a later protocol': () => ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 400],
  }
  for (const [name, wayOf] of Object.entries(ways)) {
    it(`gets the same answers or none: ${name}`, async () => {
      const provider = await open()
      const [withToken, good] = wayOf(bearer(provider.mint(accountsPath)))
      const [without, , bare] = wayOf('Authorization: Bearer x.y.z')

      assert.deepEqual(statusesIn(await say(provider.port, withToken)), [good])
      const heard = await say(provider.port, without)
      assert.deepEqual(statusesIn(heard), [bare])
      assertTellsNothing(heard)
    })
  }

  for (const method of ['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE', 'SOURCE']) {
    it(`is a 405 that repeats nothing: ${method}`, async () => {
      const provider = await open()
      const token = provider.mint(accountsPath)
      const request = last(`${method} ${accountsPath} HTTP/1.1`, bearer(token), 'X-Secret: hush')

      const heard = await say(provider.port, request)

      assert.deepEqual(statusesIn(heard), [405])
      assert.doesNotMatch(heard, /hush|Bearer/i)
      await assertPasses(provider, token)
    })
  }

  for (const target of [accountsPath, 'evil.example:443']) {
    it(`opens no tunnel to ${target}`, async () => {
      const provider = await open()

      const heard = await say(provider.port, last(`CONNECT ${target} HTTP/1.1`))

      assert.deepEqual(statusesIn(heard), [])
    })
  }

  it('waits for leave to send a body, and is judged all the same', async () => {
    const provider = await open()
    const head = [`POST ${balancesPath} HTTP/1.1`, 'Expect: 100-continue'] as const
    const body = '{"data":{"accountIds":["a1"]}}'
    const rest = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    const token = bearer(provider.mint(balancesPath))

    const refused = await say(provider.port, last(...head, ...rest) + body)
    const passed = await say(provider.port, last(...head, ...rest, token) + body)

    assert.equal(statusesIn(refused).at(-1), 401)
    assertTellsNothing(refused)
    assert.equal(statusesIn(passed).at(-1), 200)
  })

  it('cannot hide a second Authorization header behind many others', async () => {
    const provider = await open()
    const token = provider.mint(accountsPath)

    for (const count of [100, 900, 2000, 2500]) {
      const others = Array.from({ length: count }, () => 'a:')
      const request = last(get, bearer(token), ...others, 'Authorization: Bearer x.y.z')
      // What was not read of the request may take the answer with it.
      const heard = await say(provider.port, request).catch(() => '')

      assert.ok([401, 431, undefined].includes(statusesIn(heard)[0]), heard.slice(0, 100))
    }
    await assertPasses(provider, token)
  })
})

describeOnce('a token with much in it', () => {
  for (const depth of [100, 2500]) {
    it(`is read where it has lists in lists, ${depth} deep`, async () => {
      const provider = await open()
      let nested: unknown[] = []
      for (let level = 0; level < depth; level += 1) nested = [nested]

      await assertPasses(provider, provider.mint(accountsPath, { nested }))
      await assertPasses(provider, provider.mint(accountsPath, {}, { nested }))
    })
  }
})
