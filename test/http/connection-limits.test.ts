import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { openApp } from '../../src/http/app.ts'
import { readTrustedProxies } from '../../src/http/caller-address.ts'
import { makeAuthority } from '../support/certificates.ts'

const authority = makeAuthority('Authority')
const head = 'GET /health/live HTTP/1.1\r\nHost: holdfast\r\n\r\n'

async function openServer(t: { after(work: () => Promise<void>): void }) {
  const app = openApp('provider', {
    tls: authority.issue('bank'),
    limits: { connectionsMax: 3 },
  })
  t.after(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const open = async (): Promise<TLSSocket> => {
    const socket = connect({ port, host: '127.0.0.1', ca: authority.cert })
    socket.on('error', () => {})
    await once(socket, 'secureConnect')
    return socket
  }
  return { port, open }
}

async function exchange(socket: Socket): Promise<string> {
  const answered = once(socket, 'data')
  socket.write(head)
  return String((await answered)[0])
}

describe('a TLS server at its connection limit', () => {
  it('closes the connection that has been idle longest, including unfinished handshakes', async (t) => {
    const { port, open } = await openServer(t)
    const silent = connectTcp(port, '127.0.0.1')
    silent.on('error', () => {})
    await once(silent, 'connect')
    const first = await open()
    const second = await open()
    assert.match(await exchange(first), / 200 /)
    assert.match(await exchange(second), / 200 /)

    const closed = [once(silent.resume(), 'close'), once(first, 'close')]
    const third = await open()
    await closed[0]
    assert.match(await exchange(third), / 200 /)
    const fourth = await open()
    await closed[1]

    assert.match(await exchange(fourth), / 200 /)
    assert.match(await exchange(second), / 200 /)
    for (const socket of [second, third, fourth]) socket.destroy()
  })
})

describe('a server whose connections all have a request in flight', () => {
  it('closes the one whose body has been arriving longest', async (t) => {
    const app = openApp('provider', { limits: { connectionsMax: 3 } })
    const waiting = Promise.withResolvers<() => void>()
    app.post('/slow', async () => {
      await new Promise<void>((resolve) => waiting.resolve(resolve))
      return 'answered'
    })
    const sockets: Socket[] = []
    t.after(() => {
      for (const socket of sockets) socket.destroy()
      return app.close()
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const dial = () => {
      const socket = connectTcp(port, '127.0.0.1')
      socket.on('error', () => {})
      sockets.push(socket)
      return socket
    }
    /** Announces a body of two bytes. */
    const post = async (body: string): Promise<Socket> => {
      const received = once(app.server, 'request')
      const socket = dial()
      socket.write(
        `POST /slow HTTP/1.1\r\nHost: holdfast\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n${body}`,
      )
      await received
      return socket
    }
    const complete = await post('{}')
    const respond = await waiting.promise
    const first = await post('{')
    const second = await post('{')

    const closed = once(first.resume(), 'close')
    const fresh = dial()
    const rejected = once(fresh, 'close').then(() => 'closed')
    assert.match(await Promise.race([exchange(fresh), rejected]), / 200 /)
    await closed
    const answered = once(complete, 'data')
    respond()

    assert.match(String((await answered)[0]), /answered/)
    assert.equal(second.destroyed, false)
  })
})

describe('connections from a trusted proxy', () => {
  it('have no limit, and stay open without a token', async (t) => {
    const app = openApp('provider', {
      limits: { addressConnectionsMax: 1, anonymousIdleMs: 0, checkIntervalMs: 5 },
      trustedProxies: readTrustedProxies('127.0.0.2'),
    })
    t.after(() => app.close())
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const dial = (localAddress: string) => {
      const socket = connectTcp({ port, host: '127.0.0.1', localAddress })
      socket.on('error', () => {})
      return socket
    }
    const proxied = [dial('127.0.0.2'), dial('127.0.0.2')]
    for (const socket of proxied) assert.match(await exchange(socket), / 200 /)

    // Idle connections have been closed by the time this one is.
    const other = dial('127.0.0.1')
    await once(other.resume(), 'close')

    for (const socket of proxied) {
      const answer = await exchange(socket)
      assert.match(answer, / 200 /)
      assert.doesNotMatch(answer, /keep-alive: timeout=0/i)
      socket.destroy()
    }
  })
})

describe('a connection without a valid token', () => {
  it('stays open for a request that arrived while the process was suspended', async (t) => {
    const anonymousIdleMs = 1000
    const app = openApp('provider', { limits: { anonymousIdleMs, checkIntervalMs: 5 } })
    t.after(() => app.close())
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const socket = connectTcp(port, '127.0.0.1')
    t.after(() => socket.destroy())
    const closed = once(socket, 'close').then(() => 'closed')
    assert.match(await exchange(socket), / 200 /)

    const answer = exchange(socket)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, anonymousIdleMs + 100)

    assert.match(await Promise.race([answer, closed]), / 200 /)
  })
})
