import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { findFreePort } from '../support/free-port.ts'
import { openGuardServer } from '../support/guard-server.ts'
import type { Flags } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import {
  accountsPage,
  openRawUpstream,
  openUpstream,
  rawResponse,
  respondJson,
} from '../support/upstream.ts'

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`

/** What an upstream writes to every request, and what the client gets with the reason in the log. */
const cases: Record<string, [(socket: Socket) => void, number, string]> = {
  'closes the connection': [(s) => s.end(), 502, 'connection closed'],
  'resets the connection': [(s) => s.resetAndDestroy(), 502, 'connection closed'],
  'closes within the headers': [(s) => s.end('HTTP/1.1 200 OK\r\ncont'), 502, 'connection closed'],
  'closes within the body': [
    (s) => s.end(rawResponse('{"data":', 'content-length: 1000')),
    502,
    'connection closed',
  ],
  'resets within the body': [
    (s) => s.write(rawResponse('{"data":', 'content-length: 1000'), () => s.resetAndDestroy()),
    502,
    'connection closed',
  ],
  'closes within a chunk': [(s) => s.end(`${chunked}ff\r\n{"data"`), 502, 'connection closed'],
  'sends an invalid chunk': [(s) => s.write(`${chunked}zz\r\n{}`), 502, 'invalid HTTP'],
  'sends no HTTP': [(s) => s.write('SSH-2.0-OpenSSH_9.9\r\n'), 502, 'invalid HTTP'],
  'sends two lengths': [
    (s) => s.write(rawResponse('{}', 'content-length: 2\r\ncontent-length: 3')),
    502,
    'invalid HTTP',
  ],
  'sends a length that is not a number': [
    (s) => s.write(rawResponse('{}', 'content-length: two')),
    502,
    'invalid HTTP',
  ],
  'sends a length and chunks': [
    (s) => s.write(rawResponse('{}', 'content-length: 2\r\ntransfer-encoding: chunked')),
    502,
    'invalid HTTP',
  ],
  'sends headers that are too large': [
    (s) => s.write(rawResponse('{}', `x-large: ${'x'.repeat(20_000)}`)),
    502,
    'invalid HTTP',
  ],
  'sends many headers that are too large together': [
    (s) => s.write(rawResponse('{}', 'x-field: value\r\n'.repeat(2000).trimEnd())),
    502,
    'invalid HTTP',
  ],
  'switches the protocol': [
    (s) => s.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    502,
    'connection closed',
  ],
  'never responds': [() => {}, 504, 'first byte timeout'],
  'sends only the headers': [(s) => s.write(chunked), 504, 'total timeout'],
  'sends a part of the headers': [(s) => s.write('HTTP/1.1 200 OK\r\n'), 504, 'first byte timeout'],
  'sends a part of the body': [
    (s) => s.write(rawResponse('{"data":', 'content-length: 1000')),
    504,
    'total timeout',
  ],
  'sends the body byte by byte without end': [
    (s) => {
      s.write(chunked)
      const timer = setInterval(() => s.write('1\r\n \r\n'), 5)
      s.on('close', () => clearInterval(timer))
    },
    504,
    'total timeout',
  ],
  'sends interim responses without end': [
    (s) => {
      const timer = setInterval(() => s.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5)
      s.on('close', () => clearInterval(timer))
    },
    504,
    'first byte timeout',
  ],
}

/** Only the timeout that a case is about is short. */
const timeouts: ReadonlyMap<string, Flags> = new Map([
  ['first byte timeout', { 'upstream-first-byte-timeout-ms': '200' }],
  ['total timeout', { 'upstream-timeout-ms': '300' }],
])

describeOnce('an upstream that misbehaves', () => {
  for (const [name, [write, status, reason]] of Object.entries(cases)) {
    it(`gets the client a ${status} if it ${name}`, async (t) => {
      const upstream = await openRawUpstream(t, write)
      const guard = await openGuardServer(t, upstream.address, timeouts.get(reason))

      const answer = await guard.ask(accountsPath)

      const error = status === 502 ? 'Bad gateway' : 'Gateway timeout'
      assert.deepEqual([answer.status, answer.text], [status, JSON.stringify({ error })])
      const [line] = guard.log().filter(({ operation }) => operation === 'B1')
      assert.deepEqual([line?.['status'], line?.['reason']], [status, `upstream: ${reason}`])
      // Nothing of a failed exchange is left on the connection.
      await until(() =>
        upstream.sockets.every(({ readableEnded, destroyed }) => readableEnded || destroyed),
      )
    })
  }

  it('gets the client a 503 with Retry-After if it is not there', async (t) => {
    const guard = await openGuardServer(t, `http://127.0.0.1:${await findFreePort()}`)

    const { status, text, headers } = await guard.ask(accountsPath)

    assert.deepEqual([status, text], [503, '{"error":"Service unavailable"}'])
    assert.equal(headers['retry-after'], '1')
    const [line] = guard.log().filter(({ operation }) => operation === 'B1')
    assert.equal(line?.['reason'], 'upstream: connection failed')
  })

  it('gets the client a 504 if the TLS handshake takes too long', async (t) => {
    const upstream = await openRawUpstream(t)
    const guard = await openGuardServer(t, upstream.address.replace('http:', 'https:'), {
      'upstream-connect-timeout-ms': '200',
    })

    const { status, text } = await guard.ask(accountsPath)

    assert.deepEqual([status, text], [504, '{"error":"Gateway timeout"}'])
    const [line] = guard.log().filter(({ operation }) => operation === 'B1')
    assert.equal(line?.['reason'], 'upstream: connect timeout')
  })

  it('gets a request that waited for a connection too long a 504, and does not see it later', async (t) => {
    const upstream = await openRawUpstream(t)
    const guard = await openGuardServer(t, upstream.address, {
      'upstream-connections': '1',
      'upstream-timeout-ms': '300',
    })

    // If the second request starts noticeably later than the first, it gets the connection just before its own timeout.
    await until(async () => {
      const [first, second, third] = ['1', '2', '3'].map((page) => `${accountsPath}?page=${page}`)
      const answers = await Promise.all([guard.ask(first ?? ''), guard.ask(second ?? '')])
      const seen = [...upstream.requestLines]
      answers.push(await guard.ask(third ?? ''))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [504, 504, 504],
      )
      const later = upstream.requestLines.slice(seen.length)
      return later.every((line) => line.includes('page=3'))
    })
  })

  it('does not affect the next request', async (t) => {
    const upstream = await openRawUpstream(t, (socket, number) => {
      // More than it announced: the rest must not become the next response.
      if (number === 0)
        socket.write(
          rawResponse(
            `${accountsPage}${rawResponse('{"error":"x"}')}`,
            `content-length: ${accountsPage.length}`,
          ),
        )
      else socket.write(rawResponse(accountsPage))
    })
    const guard = await openGuardServer(t, upstream.address)

    const answers = [await guard.ask(accountsPath), await guard.ask(accountsPath)]

    for (const { status, text } of answers) assert.deepEqual([status, text], [200, accountsPage])
  })
})

describeOnce('a connection that the upstream closes when it is used again', () => {
  it('is replaced by a new one for the same request, once', async (t) => {
    const upstream = await openRawUpstream(t, (socket, number) => {
      if (number === 1) socket.resetAndDestroy()
      else socket.write(rawResponse(accountsPage))
    })
    const guard = await openGuardServer(t, upstream.address)
    await guard.ask(accountsPath)

    const { status } = await guard.ask(`${accountsPath}?page=2`)

    assert.equal(status, 200)
    const second = `GET ${accountsPath}?page=2 HTTP/1.1`
    assert.deepEqual(upstream.requestLines.slice(1), [second, second])
    assert.equal(upstream.sockets.length, 2)
  })

  it('is not replaced a second time', async (t) => {
    const upstream = await openRawUpstream(t, (socket) => socket.destroy())
    const guard = await openGuardServer(t, upstream.address)

    const { status } = await guard.ask(accountsPath)

    assert.equal(status, 502)
    assert.equal(upstream.requestLines.length, 2)
  })

  it('is not replaced once a part of the response was received', async (t) => {
    const upstream = await openRawUpstream(t, (socket) =>
      socket.write(rawResponse('{', 'content-length: 9'), () => socket.resetAndDestroy()),
    )
    const guard = await openGuardServer(t, upstream.address)

    const { status } = await guard.ask(accountsPath)

    assert.equal(status, 502)
    assert.equal(upstream.requestLines.length, 1)
  })
})

const large = JSON.stringify({ data: { accounts: [] }, padding: 'x'.repeat(10_000_000) })

describeOnce('a response of 10 MB', () => {
  for (const mode of ['off', 'report']) {
    it(`is streamed unchanged, with --validate ${mode}`, async (t) => {
      const upstream = await openUpstream(t, respondJson(large))
      const guard = await openGuardServer(t, upstream.address, { validate: mode })

      const { status, text, headers } = await guard.ask(accountsPath)

      assert.equal(status, 200)
      assert.ok(text === large)
      assert.equal(headers['content-length'], undefined)
    })
  }

  it('is handed on unchanged again and again', async (t) => {
    const upstream = await openUpstream(t, respondJson(large))
    const guard = await openGuardServer(t, upstream.address)

    for (let count = 0; count < 4; count += 1) {
      assert.ok((await guard.ask(accountsPath)).text === large)
    }
  })

  it('has the length that the upstream announces', async (t) => {
    const upstream = await openUpstream(t, (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': large.length })
        .end(large),
    )
    const guard = await openGuardServer(t, upstream.address)

    const { text, headers } = await guard.ask(accountsPath)

    assert.ok(text === large)
    assert.equal(headers['content-length'], String(large.length))
  })

  for (const mode of ['off', 'enforce']) {
    it(`is a 502 if a response may only have 200 kB, with --validate ${mode}`, async (t) => {
      const upstream = await openUpstream(t, respondJson(large))
      const guard = await openGuardServer(t, upstream.address, {
        validate: mode,
        'upstream-response-bytes-max': '200000',
      })

      const { status, text } = await guard.ask(accountsPath)

      assert.deepEqual([status, text], [502, '{"error":"Bad gateway"}'])
      const [line] = guard.log().filter(({ operation }) => operation === 'B1')
      assert.equal(line?.['reason'], 'upstream: response too large')
    })
  }

  for (const [name, flags, interrupt] of [
    ['closes the connection', {}, (socket: Socket) => socket.destroy()],
    ['sends too much', { 'upstream-response-bytes-max': '1000000' }, (s: Socket) => s.write(large)],
    ['sends no more', { 'upstream-timeout-ms': '500' }, () => {}],
  ] as [string, Record<string, string>, (socket: Socket) => void][]) {
    it(`is broken off if the upstream ${name} after a part of it`, async (t) => {
      const upstream = await openUpstream(t, (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write(large.slice(0, 600_000), () => {
          if (response.socket) interrupt(response.socket)
        })
      })
      const guard = await openGuardServer(t, upstream.address, flags)

      await assert.rejects(guard.ask(accountsPath))

      await until(() => guard.log().some(({ operation }) => operation === 'B1'))
      const [line] = guard.log().filter(({ operation }) => operation === 'B1')
      assert.equal(line?.['msg'], 'request failed')
      assert.ok([502, 504].includes(Number(line?.['status'])), String(line?.['status']))
    })
  }
})

describeOnce('a client that disconnects', () => {
  it('ends the request to the upstream', async (t) => {
    const upstream = await openRawUpstream(t)
    const guard = await openGuardServer(t, upstream.address)
    const abort = new AbortController()
    const asked = fetch(guard.address + accountsPath, {
      headers: { authorization: `Bearer ${guard.mint(accountsPath)}` },
      signal: abort.signal,
    })
    await until(() => upstream.requestLines.length === 1)
    const [socket] = upstream.sockets
    assert.ok(socket)

    abort.abort()

    await assert.rejects(asked)
    if (!socket.closed) await once(socket, 'close')
    await until(() => guard.log().some(({ status }) => status === 499))
  })

  it('ends a streamed response, of which no more is read than fits in buffers', async (t) => {
    let written = 0
    const upstream = await openUpstream(t, (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const write = (): void => {
        while (response.write(large.slice(0, 100_000))) written += 100_000
        response.once('drain', write)
      }
      write()
    })
    const guard = await openGuardServer(t, upstream.address, {
      'upstream-response-bytes-max': '500000000',
    })
    const abort = new AbortController()
    const response = await fetch(guard.address + accountsPath, {
      headers: { authorization: `Bearer ${guard.mint(accountsPath)}` },
      signal: abort.signal,
    })
    assert.equal(response.status, 200)
    // The client reads nothing: the upstream is soon paused.
    let before = -1
    await until(() => {
      const isPaused = written === before
      before = written
      return isPaused
    })
    assert.ok(written < 100_000_000, String(written))

    abort.abort()

    await until(() => guard.log().some(({ status }) => status === 499))
  })
})
