import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { describeOnce } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { sharedProvider } from '../support/provider.ts'

const data = [lines.customer('ana'), lines.bankingAccount('a1', { ana: true })]
const provider = sharedProvider(data)
/** One that has no patience. */
const hasty = sharedProvider([], async () => ({
  database: (await provider()).database,
  limits: {
    headersTimeoutMs: 50,
    requestTimeoutMs: 50,
    keepAliveTimeoutMs: 50,
    checkIntervalMs: 10,
  },
}))

/** One that takes little. */
const narrow = sharedProvider([], async () => ({
  database: (await provider()).database,
  limits: { bodyBytesMax: 100, drainBytesMax: 16 * 1024 * 1024 },
}))

const head = 'Host: holdfast\r\nContent-Type: application/json\r\n'

/** A connection on which a test says what it likes. */
async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  // To be cut off may show as an error before it shows as the end.
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** All that the server says until it hangs up. */
async function heard(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  await once(socket, 'close')
  return text
}

/** The whole answer is an error as every other, and the last that comes on the connection. */
function assertError(text: string, status: number, message: string): void {
  const [head = '', body] = text.split('\r\n\r\n')
  assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `))
  assert.match(head, /^content-type: application\/json; charset=utf-8$/im)
  assert.match(head, /^connection: close$/im)
  assert.match(head, /^x-fapi-interaction-id: [0-9a-f-]{36}$/im)
  assert.equal(body, JSON.stringify({ error: message }))
}

describeOnce('a connection that dawdles is cut', () => {
  for (const [name, said] of Object.entries({
    'over its first byte': '',
    'over its first line': 'GET /auth/v1/customer/ana HT',
    'over its headers': `GET /auth/v1/customer/ana HTTP/1.1\r\n${head}`,
    'over its body': `POST /auth/v1/customer/search HTTP/1.1\r\n${head}Content-Length: 20\r\n\r\n{"email":`,
    'over the next part of its body': `POST /auth/v1/customer/search HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n3\r\n{"e\r\n`,
  })) {
    it(`${name}`, async () => {
      const { port } = await hasty()
      const socket = await dial(port)

      socket.write(said)
      const text = await heard(socket)

      if (said === '') assert.equal(text, '')
      else assertError(text, 408, 'The request timed out')
    })
  }

  it('between two requests', async () => {
    const { port } = await hasty()
    const socket = await dial(port)

    socket.write(`GET /auth/v1/customer/ana HTTP/1.1\r\n${head}\r\n`)
    const text = await heard(socket)

    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(text, /"id":"ana"/)
  })
})

describeOnce('a request of which', () => {
  const long = 'x'.repeat(20_000)

  for (const [name, said] of Object.entries({
    'the address is too long': `GET /auth/v1/customer/${long} HTTP/1.1\r\n${head}\r\n`,
    'the query is too long': `GET /auth/v1/customer/ana?x=${long} HTTP/1.1\r\n${head}\r\n`,
    'a header is too long': `GET /auth/v1/customer/ana HTTP/1.1\r\n${head}X-Long: ${long}\r\n\r\n`,
    'the headers are too many': `GET /auth/v1/customer/ana HTTP/1.1\r\n${head}${'X: y\r\n'.repeat(5000)}\r\n`,
  })) {
    it(`${name} is refused, and the connection closed`, async () => {
      const { port } = await provider()
      const socket = await dial(port)

      socket.write(said)
      const text = await heard(socket)

      assertError(text, 431, 'The request line and headers are too large')
    })
  }

  it('a chunked body grows too large is refused before it ends', async () => {
    const { port } = await narrow()
    const socket = await dial(port)
    const chunk = `40\r\n${'x'.repeat(0x40)}\r\n`

    socket.write(
      `POST /auth/v1/customer/search HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`,
    )
    socket.write(chunk + chunk)
    const [first] = await once(socket, 'data')
    socket.destroy()

    assert.match(String(first), /^HTTP\/1\.1 413 /)
    assert.match(String(first), /\{"error":"The request body is too large"\}/)
  })

  it('the body is a few times too large gets its answer, though it sends all of it first', async () => {
    const { port } = await narrow()
    const body = Buffer.alloc(4 * 1024 * 1024, 'x')

    for (const framing of [
      `Content-Length: ${body.length}\r\n\r\n`,
      `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`,
    ]) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, async () => {
          const socket = await dial(port)
          socket.write(`POST /auth/v1/customer/search HTTP/1.1\r\n${head}${framing}`)
          const isSent = new Promise<boolean>((resolve) => {
            socket.write(body, (error) => resolve(!error))
          })
          // Reads nothing before it has sent everything.
          assert.equal(await isSent, true)
          socket.write(framing.includes('chunked') ? '\r\n0\r\n\r\n' : '')
          return heard(socket)
        }),
      )

      for (const text of answers) assertError(text, 413, 'The request body is too large')
    }
  })

  it('the body does not end is answered, and cut after so much of it', async () => {
    const { port } = await narrow()
    const socket = await dial(port)
    const chunk = Buffer.alloc(64 * 1024, 'x')

    socket.write(
      `POST /auth/v1/customer/search HTTP/1.1\r\n${head}Content-Length: 1000000000\r\n\r\n`,
    )
    const text = heard(socket)
    while (!socket.destroyed) {
      socket.write(chunk)
      await setImmediate()
    }

    assert.match(await text, /^HTTP\/1\.1 413 /)
    assert.ok(socket.bytesWritten < 100_000_000, `${socket.bytesWritten} bytes were sent`)
  })

  it('the form is not HTTP is refused, and the next connection served', async () => {
    const { port, get } = await provider()
    const socket = await dial(port)

    socket.write('hello?\r\n\r\n')
    const text = await heard(socket)

    assertError(text, 400, 'the request must be valid HTTP/1.1')
    assert.equal((await get('/auth/v1/customer/ana')).status, 200)
  })

  it('two lengths disagree is refused', async () => {
    const { port } = await provider()
    const socket = await dial(port)

    socket.write(
      `POST /auth/v1/customer/search HTTP/1.1\r\n${head}Content-Length: 2\r\nContent-Length: 20\r\n\r\n{}`,
    )
    const text = await heard(socket)

    assertError(text, 400, 'the request must be valid HTTP/1.1')
  })

  it('the form is not HTTP is refused after the answer to the one before it', async () => {
    const { port } = await provider()
    const socket = await dial(port)

    socket.write(`GET /auth/v1/customer/ana HTTP/1.1\r\n${head}\r\nhello?\r\n\r\n`)
    const text = await heard(socket)

    assert.match(text, /^HTTP\/1\.1 200 /)
    const second = text.indexOf('HTTP/1.1 ', 1)
    assert.match(text.slice(0, second), /"id":"ana"/)
    assertError(text.slice(second), 400, 'the request must be valid HTTP/1.1')
  })

  it('the form is not HTTP is refused, however much follows', async () => {
    const { port } = await narrow()
    const socket = await dial(port)

    socket.write(Buffer.alloc(1024 * 1024, 'x'))
    const text = await heard(socket)

    assertError(text, 400, 'the request must be valid HTTP/1.1')
  })
})
