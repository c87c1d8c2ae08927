import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { type GuardServer, openGuardServer } from '../support/guard-server.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import { accountsPage, openRawUpstream, rawResponse } from '../support/upstream.ts'

const contactPath = '/fdx/v6/customer/c1/accounts/a1/contact'
const json = 'content-type: application/json'

/** The start of a response whose end is the end of the connection. */
const heads = {
  'HTTP/1.0': `HTTP/1.0 200 OK\r\n${json}\r\n\r\n`,
  'HTTP/1.1 with Connection: close': `HTTP/1.1 200 OK\r\n${json}\r\nconnection: close\r\n\r\n`,
  'HTTP/1.1': `HTTP/1.1 200 OK\r\n${json}\r\n\r\n`,
}
const http10 = heads['HTTP/1.0']

const large = JSON.stringify({ data: { accounts: [] }, padding: 'x'.repeat(1_000_000) })

/** How an upstream ends a connection after the last byte that it sends. */
const ends: Readonly<Record<string, (socket: Socket, bytes: string) => void>> = {
  closes: (socket, bytes) => socket.end(bytes),
  resets: (socket, bytes) => socket.write(bytes, () => socket.resetAndDestroy()),
}

function assertReason(guard: GuardServer, operation: string, reason: string): void {
  const [line] = guard.log().filter((each) => each['operation'] === operation)
  assert.equal(line?.['reason'], `upstream: ${reason}`)
}

describeOnce('a response that ends with its connection', () => {
  for (const mode of ['off', 'report', 'enforce']) {
    for (const [version, head] of Object.entries(heads)) {
      it(`is handed on if its JSON is complete: ${version}, --validate ${mode}`, async (t) => {
        const upstream = await openRawUpstream(t, (socket) => socket.end(head + accountsPage))
        const guard = await openGuardServer(t, upstream.address, { validate: mode })

        const { status, text, headers } = await guard.ask(accountsPath)

        assert.deepEqual([status, text], [200, accountsPage])
        assert.equal(headers['content-length'], String(accountsPage.length))
      })
    }

    for (const [verb, end] of Object.entries(ends)) {
      it(`is a 502 if the upstream ${verb} it before: --validate ${mode}`, async (t) => {
        const parts = ['', accountsPage.slice(0, 10), accountsPage.slice(0, -1)]
        const all = Object.values(heads).flatMap((head) => parts.map((part) => head + part))
        const upstream = await openRawUpstream(t, (socket, number) =>
          end(socket, all[number] ?? ''),
        )
        const guard = await openGuardServer(t, upstream.address, { validate: mode })

        for (const sent of all) {
          const { status, text } = await guard.ask(accountsPath)
          assert.deepEqual([status, text], [502, '{"error":"Bad gateway"}'], sent)
        }
        assertReason(guard, 'B1', 'connection closed')
        assert.equal(upstream.requestLines.length, all.length)
      })

      it(`is a 502 even if it may be empty, and the upstream ${verb} it: --validate ${mode}`, async (t) => {
        const all = Object.values(heads).flatMap((head) => [head, `${head}{"holders":`])
        const upstream = await openRawUpstream(t, (socket, number) =>
          end(socket, all[number] ?? ''),
        )
        const guard = await openGuardServer(t, upstream.address, { validate: mode })

        for (const sent of all) {
          assert.equal((await guard.ask(contactPath)).status, 502, sent)
        }
        assertReason(guard, 'contact', 'connection closed')
      })
    }
  }

  it('is complete without a body if its status is 204', async (t) => {
    const upstream = await openRawUpstream(t, (socket) =>
      socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'),
    )
    const guard = await openGuardServer(t, upstream.address)

    const { status, text } = await guard.ask(contactPath)

    assert.deepEqual([status, text], [204, ''])
  })

  it('is not sent before its end, however large it is', async (t) => {
    const bodies = [large, large.slice(0, -1)]
    const upstream = await openRawUpstream(t, (socket, number) =>
      socket.end(http10 + (bodies[number] ?? '')),
    )
    const guard = await openGuardServer(t, upstream.address)

    const complete = await guard.ask(accountsPath)
    const cut = await guard.ask(accountsPath)

    assert.equal(complete.status, 200)
    assert.ok(complete.text === large)
    assert.equal(complete.headers['content-length'], String(large.length))
    assert.equal(cut.status, 502)
  })

  it('is a 502 if it is larger than the maximum', async (t) => {
    const upstream = await openRawUpstream(t, (socket) => socket.end(http10 + large))
    const guard = await openGuardServer(t, upstream.address, {
      'upstream-response-bytes-max': '500000',
    })

    assert.equal((await guard.ask(accountsPath)).status, 502)
    assertReason(guard, 'B1', 'response too large')
  })

  it('is reported as what it is if it is a page of HTML', async (t) => {
    const head = http10.replace('application/json', 'text/html')
    const upstream = await openRawUpstream(t, (socket) => socket.end(`${head}<p>Sign in</p>`))
    const guard = await openGuardServer(t, upstream.address)

    assert.equal((await guard.ask(accountsPath)).status, 502)
    assertReason(guard, 'B1', 'response is not JSON')
  })

  it('is handed on if it is an error of the interface', async (t) => {
    const error = '{"error":"Customer not found"}'
    const head = http10.replace('200 OK', '404 Not Found')
    const upstream = await openRawUpstream(t, (socket) => socket.end(head + error))
    const guard = await openGuardServer(t, upstream.address)

    const { status, text } = await guard.ask(accountsPath)

    assert.deepEqual([status, text], [404, error])
  })
})

describeOnce('a response with a length over the maximum', () => {
  for (const mode of ['off', 'report', 'enforce']) {
    it(`is a 502 before its body is received, with --validate ${mode}`, async (t) => {
      const upstream = await openRawUpstream(t, (socket) =>
        socket.write(rawResponse('{"data":', 'content-length: 500001')),
      )
      const guard = await openGuardServer(t, upstream.address, {
        validate: mode,
        'upstream-response-bytes-max': '500000',
      })

      const { status, text } = await guard.ask(accountsPath)

      assert.deepEqual([status, text], [502, '{"error":"Bad gateway"}'])
      assertReason(guard, 'B1', 'response too large')
    })
  }

  it('does not become one at the maximum', async (t) => {
    const upstream = await openRawUpstream(t, (socket) => socket.write(rawResponse(large)))
    const guard = await openGuardServer(t, upstream.address, {
      'upstream-response-bytes-max': String(large.length),
    })

    const { status, text } = await guard.ask(accountsPath)

    assert.equal(status, 200)
    assert.ok(text === large)
  })
})

const chunk = (bytes: string) => `${bytes.length.toString(16)}\r\n${bytes}\r\n`
const start = large.slice(0, 600_000)
/** The start of a response that is too large to be collected. */
const starts = {
  chunks: `HTTP/1.1 200 OK\r\n${json}\r\ntransfer-encoding: chunked\r\n\r\n${chunk(start)}`,
  'chunks and Connection: close': `HTTP/1.1 200 OK\r\n${json}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n${chunk(start)}`,
  'a length': rawResponse(start, `content-length: ${large.length}`),
  'a length and Connection: close': rawResponse(
    start,
    `connection: close\r\ncontent-length: ${large.length}`,
  ),
}

describeOnce('a response that breaks off after a part of it was sent', () => {
  for (const [name, bytes] of Object.entries(starts)) {
    for (const [verb, end] of Object.entries(ends)) {
      for (const version of ['1.0', '1.1']) {
        it(`never looks complete to a client of HTTP/${version}: ${name}, the upstream ${verb} it`, async (t) => {
          const upstream = await openRawUpstream(t, (socket) => socket.write(bytes))
          const guard = await openGuardServer(t, upstream.address)
          const client = connect(guard.port, '127.0.0.1')
          const authorization = `authorization: Bearer ${guard.mint(accountsPath)}`
          client.write(`GET ${accountsPath} HTTP/${version}\r\nhost: x\r\n${authorization}\r\n\r\n`)
          await once(client, 'readable')
          const [socket] = upstream.sockets
          assert.ok(socket)

          end(socket, '')

          const received = await text(client).catch(({ code }) => String(code))
          assert.ok(isBroken(received), received.slice(0, 1000))
          await until(() => guard.log().some(({ operation }) => operation === 'B1'))
          const [line] = guard.log().filter(({ operation }) => operation === 'B1')
          assert.deepEqual([line?.['status'], line?.['msg']], [502, 'request failed'])
        })
      }
    }
  }
})

/** Whether the connection was reset, or the response has fewer bytes than it states, or no last chunk. */
function isBroken(received: string): boolean {
  if (received === 'ECONNRESET') return true
  const [head = '', body = ''] = received.split('\r\n\r\n', 2)
  const [, length] = /content-length: (\d+)/i.exec(head) ?? []
  if (length !== undefined) return body.length < Number(length)
  return /transfer-encoding: chunked/i.test(head) && !received.endsWith('0\r\n\r\n')
}

describeOnce('interim responses of the upstream', () => {
  const response = rawResponse(accountsPage)
  const hints = 'HTTP/1.1 103 Early Hints\r\nx-early: 1\r\n\r\n'
  for (const [name, interim] of Object.entries({
    'a 100 that was not requested': 'HTTP/1.1 100 Continue\r\n\r\n',
    'a 100 with header fields': 'HTTP/1.1 100 Continue\r\nx-early: 1\r\n\r\n',
    'a 102': 'HTTP/1.1 102 Processing\r\n\r\n',
    'a 103': hints,
    'several of them': `${hints}HTTP/1.1 100 Continue\r\n\r\n${hints}`,
  })) {
    it(`are skipped, on a connection that is used again: ${name}`, async (t) => {
      const upstream = await openRawUpstream(t, (socket) => socket.write(interim + response))
      const guard = await openGuardServer(t, upstream.address)

      const answers = [await guard.ask(accountsPath), await guard.ask(accountsPath)]

      for (const { status, text, headers } of answers)
        assert.deepEqual([status, text, headers['x-early']], [200, accountsPage, undefined])
      assert.deepEqual([upstream.requestLines.length, upstream.sockets.length], [2, 1])
    })

    it(`are skipped if each byte is received on its own: ${name}`, async (t) => {
      const upstream = await openRawUpstream(t, (socket) => {
        const bytes = [...(interim + response)]
        socket.setNoDelay()
        const writeNext = (): void => {
          const byte = bytes.shift()
          if (byte !== undefined) socket.write(byte, () => setImmediate(writeNext))
        }
        writeNext()
      })
      const guard = await openGuardServer(t, upstream.address)

      const { status, text } = await guard.ask(accountsPath)

      assert.deepEqual([status, text], [200, accountsPage])
      assert.equal(upstream.requestLines.length, 1)
    })
  }

  it('are a 502 if one is too large', async (t) => {
    const upstream = await openRawUpstream(t, (socket) =>
      socket.write(`HTTP/1.1 100 Continue\r\nx-large: ${'x'.repeat(20_000)}`),
    )
    const guard = await openGuardServer(t, upstream.address)

    assert.equal((await guard.ask(accountsPath)).status, 502)
    assertReason(guard, 'B1', 'invalid HTTP')
  })

  for (const [name, interim] of Object.entries({
    'all its lines': 'HTTP/1.1 103 Early Hints\nx-early: 1\n\n',
    'its empty line': 'HTTP/1.1 103 Early Hints\r\nx-early: 1\r\n\n',
  })) {
    it(`are a 502 if a line feed alone ends ${name}: a body never becomes the response`, async (t) => {
      const upstream = await openRawUpstream(t, (socket) =>
        socket.write(interim + rawResponse(rawResponse(accountsPage))),
      )
      const guard = await openGuardServer(t, upstream.address)

      const { status, text } = await guard.ask(accountsPath)

      assert.deepEqual([status, text], [502, '{"error":"Bad gateway"}'])
      assertReason(guard, 'B1', 'invalid HTTP')
    })
  }

  it('are not removed from a body', async (t) => {
    const body = JSON.stringify({ text: 'HTTP/1.1 100 Continue' })
    const bodies = ['HTTP/1.1 100 Continue\r\n\r\n', body]
    const upstream = await openRawUpstream(t, (socket) => {
      socket.setNoDelay()
      const length = bodies.join('').length
      socket.write(rawResponse('', `content-length: ${length}`), () =>
        setImmediate(() => socket.write(bodies.join(''))),
      )
    })
    const guard = await openGuardServer(t, upstream.address)

    const { status, text } = await guard.ask(accountsPath)

    assert.deepEqual([status, text], [200, bodies.join('')])
  })
})
