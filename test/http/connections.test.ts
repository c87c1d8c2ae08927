import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { describeOnce } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { patientLimits } from '../support/patience.ts'
import { sharedProvider } from '../support/provider.ts'

const data = [lines.customer('ana'), lines.bankingAccount('a1', { ana: true })]
const provider = sharedProvider(data)
/** A provider with short timeouts. */
/** On a busy machine, the first bytes of a connection may arrive late. */
const shortTimeouts = sharedProvider([], async () => ({
  database: (await provider()).database,
  limits: {
    headersTimeoutMs: 1000,
    requestTimeoutMs: 1000,
    keepAliveTimeoutMs: 50,
    checkIntervalMs: 10,
  },
}))

/** A provider that closes idle connections at once. On a busy machine, a request may take longer than short timeouts. */
const shortIdle = sharedProvider([], async () => ({
  database: (await provider()).database,
  limits: { ...patientLimits, keepAliveTimeoutMs: 50, checkIntervalMs: 10 },
}))

/** A provider with a small body limit. */
const smallBodies = sharedProvider([], async () => ({
  database: (await provider()).database,
  limits: { bodyBytesMax: 100, drainBytesMax: 16 * 1024 * 1024 },
}))

const head = 'Host: holdfast\r\nContent-Type: application/json\r\n'

async function openConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  // A reset is reported as an error before the close event.
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Everything that the server sends until it closes the connection. */
async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  await once(socket, 'close')
  return text
}

/** The response has the ordinary form of an error, and is the last one on the connection. */
function assertError(text: string, status: number, message: string): void {
  const [head = '', body] = text.split('\r\n\r\n')
  assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `))
  assert.match(head, /^content-type: application\/json; charset=utf-8$/im)
  assert.match(head, /^connection: close$/im)
  assert.match(head, /^x-fapi-interaction-id: [0-9a-f-]{36}$/im)
  assert.equal(body, JSON.stringify({ error: message }))
}

describeOnce('a slow connection is closed', () => {
  for (const [name, sent] of Object.entries({
    'before its first byte': '',
    'in its request line': 'GET /auth/v1/customer/ana HT',
    'in its headers': `GET /auth/v1/customer/ana HTTP/1.1\r\n${head}`,
    'in its body': `POST /auth/v1/customer/search HTTP/1.1\r\n${head}Content-Length: 20\r\n\r\n{"email":`,
    'in a chunked body': `POST /auth/v1/customer/search HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n3\r\n{"e\r\n`,
  })) {
    it(`${name}`, async () => {
      const { port } = await shortTimeouts()
      const socket = await openConnection(port)

      socket.write(sent)
      const text = await readAll(socket)

      if (sent === '') assert.equal(text, '')
      else assertError(text, 408, 'The request timed out')
    })
  }

  it('between two requests', async () => {
    const { port } = await shortIdle()
    const socket = await openConnection(port)

    socket.write(`GET /auth/v1/customer/ana HTTP/1.1\r\n${head}\r\n`)
    const text = await readAll(socket)

    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(text, /"id":"ana"/)
  })
})

describeOnce('a request whose', () => {
  const long = 'x'.repeat(20_000)

  for (const [name, sent] of Object.entries({
    'path is too long': `GET /auth/v1/customer/${long} HTTP/1.1\r\n${head}\r\n`,
    'query is too long': `GET /auth/v1/customer/ana?x=${long} HTTP/1.1\r\n${head}\r\n`,
    'header is too long': `GET /auth/v1/customer/ana HTTP/1.1\r\n${head}X-Long: ${long}\r\n\r\n`,
    'headers are too many': `GET /auth/v1/customer/ana HTTP/1.1\r\n${head}${'X: y\r\n'.repeat(5000)}\r\n`,
  })) {
    it(`${name} is rejected, and the connection is closed`, async () => {
      const { port } = await provider()
      const socket = await openConnection(port)

      socket.write(sent)
      const text = await readAll(socket)

      assertError(text, 431, 'The request line and headers are too large')
    })
  }

  it('chunked body is too large is rejected before the body ends', async () => {
    const { port } = await smallBodies()
    const socket = await openConnection(port)
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

  it('body is too large gets a response, even if the client sends all of it first', async () => {
    const { port } = await smallBodies()
    const body = Buffer.alloc(4 * 1024 * 1024, 'x')

    for (const framing of [
      `Content-Length: ${body.length}\r\n\r\n`,
      `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`,
    ]) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, async () => {
          const socket = await openConnection(port)
          socket.write(`POST /auth/v1/customer/search HTTP/1.1\r\n${head}${framing}`)
          const isSent = new Promise<boolean>((resolve) => {
            socket.write(body, (error) => resolve(!error))
          })
          // Reads nothing before everything is sent.
          assert.equal(await isSent, true)
          socket.write(framing.includes('chunked') ? '\r\n0\r\n\r\n' : '')
          return readAll(socket)
        }),
      )

      for (const text of answers) assertError(text, 413, 'The request body is too large')
    }
  })

  it('body does not end gets a response, and is closed at the drain limit', async () => {
    const { port } = await smallBodies()
    const socket = await openConnection(port)
    const chunk = Buffer.alloc(64 * 1024, 'x')

    socket.write(
      `POST /auth/v1/customer/search HTTP/1.1\r\n${head}Content-Length: 1000000000\r\n\r\n`,
    )
    const text = readAll(socket)
    while (!socket.destroyed) {
      socket.write(chunk)
      await setImmediate()
    }

    assert.match(await text, /^HTTP\/1\.1 413 /)
    assert.ok(socket.bytesWritten < 100_000_000, `${socket.bytesWritten} bytes were sent`)
  })

  it('syntax is not HTTP is rejected, and the next connection is served', async () => {
    const { port, get } = await provider()
    const socket = await openConnection(port)

    socket.write('hello?\r\n\r\n')
    const text = await readAll(socket)

    assertError(text, 400, 'the request must be valid HTTP/1.1')
    assert.equal((await get('/auth/v1/customer/ana')).status, 200)
  })

  it('two Content-Length headers differ is rejected', async () => {
    const { port } = await provider()
    const socket = await openConnection(port)

    socket.write(
      `POST /auth/v1/customer/search HTTP/1.1\r\n${head}Content-Length: 2\r\nContent-Length: 20\r\n\r\n{}`,
    )
    const text = await readAll(socket)

    assertError(text, 400, 'the request must be valid HTTP/1.1')
  })

  it('syntax is not HTTP is rejected after the response to an earlier request', async () => {
    const { port } = await provider()
    const socket = await openConnection(port)

    socket.write(`GET /auth/v1/customer/ana HTTP/1.1\r\n${head}\r\nhello?\r\n\r\n`)
    const text = await readAll(socket)

    assert.match(text, /^HTTP\/1\.1 200 /)
    const second = text.indexOf('HTTP/1.1 ', 1)
    assert.match(text.slice(0, second), /"id":"ana"/)
    assertError(text.slice(second), 400, 'the request must be valid HTTP/1.1')
  })

  it('syntax is not HTTP is rejected, however much data follows', async () => {
    const { port } = await smallBodies()
    const socket = await openConnection(port)

    socket.write(Buffer.alloc(1024 * 1024, 'x'))
    const text = await readAll(socket)

    assertError(text, 400, 'the request must be valid HTTP/1.1')
  })
})
