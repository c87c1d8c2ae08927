import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { sharedWorld } from '../support/world.ts'
import * as lines from '../support/world-lines.ts'

const data = [lines.customer('ana'), lines.bankingAccount('a1', { ana: true })]
const world = sharedWorld(data)
/** One that has no patience. */
const hasty = sharedWorld([], async () => ({
  database: (await world()).database,
  limits: { headMs: 50, requestMs: 50, idleMs: 50, checkMs: 10 },
}))

/** One that takes little. */
const narrow = sharedWorld([], async () => ({
  database: (await world()).database,
  limits: { bodyBytesMax: 100 },
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

describe('a connection that dawdles is cut', () => {
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

      assert.match(text, /^(HTTP\/1\.1 408 |$)/)
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

describe('a request of which', () => {
  const long = 'x'.repeat(20_000)

  for (const [name, said] of Object.entries({
    'the address is too long': `GET /auth/v1/customer/${long} HTTP/1.1\r\n${head}\r\n`,
    'the query is too long': `GET /auth/v1/customer/ana?x=${long} HTTP/1.1\r\n${head}\r\n`,
    'a header is too long': `GET /auth/v1/customer/ana HTTP/1.1\r\n${head}X-Long: ${long}\r\n\r\n`,
    'the headers are too many': `GET /auth/v1/customer/ana HTTP/1.1\r\n${head}${'X: y\r\n'.repeat(5000)}\r\n`,
  })) {
    it(`${name} is refused, and the connection closed`, async () => {
      const { port } = await world()
      const socket = await dial(port)

      socket.write(said)
      const text = await heard(socket)

      // What was not read of the request may take the answer with it.
      assert.match(text, /^(HTTP\/1\.1 4(14|31) |$)/)
      assert.doesNotMatch(text, /"id":"ana"/)
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
    assert.match(String(first), /\{"error":"The body is too large"\}/)
  })

  it('the form is not HTTP is refused, and the next connection served', async () => {
    const { port, get } = await world()
    const socket = await dial(port)

    socket.write('hello?\r\n\r\n')
    const text = await heard(socket)

    assert.match(text, /^HTTP\/1\.1 400 /)
    assert.equal((await get('/auth/v1/customer/ana')).status, 200)
  })

  it('two lengths disagree is refused', async () => {
    const { port } = await world()
    const socket = await dial(port)

    socket.write(
      `POST /auth/v1/customer/search HTTP/1.1\r\n${head}Content-Length: 2\r\nContent-Length: 20\r\n\r\n{}`,
    )
    const text = await heard(socket)

    assert.match(text, /^HTTP\/1\.1 400 /)
  })
})
