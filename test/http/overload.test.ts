import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { VerifyToken } from '../../src/auth/verify-token.ts'
import { ContractError } from '../../src/contract/index.ts'
import type { HttpApp } from '../../src/http/app.ts'
import type { HttpLimits } from '../../src/http/limits.ts'
import type { ProviderStore } from '../../src/provider/store.ts'
import { describeOn } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import * as lines from '../support/lines.ts'
import { openProvider } from '../support/provider.ts'
import { variant } from '../support/variant.ts'

const path = '/auth/v1/customer/ana'
const head = `GET ${path} HTTP/1.1\r\nHost: holdfast\r\n\r\n`
const ana = [lines.customer('ana')]

/** Accepts any token. */
const requireAuthorization: VerifyToken = async ({ authorization }) => {
  if (authorization.length === 0) throw new ContractError('unauthorized')
  return { recorded: Promise.resolve() }
}

/** A provider whose reads of customers wait until the test releases them. */
async function openSlowProvider(
  t: TestContext,
  limits: Partial<HttpLimits>,
  recorded = Promise.resolve(),
  prepare: (app: HttpApp) => void = () => {},
) {
  const waiting: (() => void)[] = []
  const around = (store: ProviderStore): ProviderStore => ({
    ...store,
    readCustomer: async (id) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return store.readCustomer(id)
    },
  })
  const verifyToken = async () => ({ recorded })
  const provider = await openProvider(t, ana, { limits, around, verifyToken, prepare })
  return {
    ...provider,
    /** Resolves when this many reads are waiting. */
    async untilWaiting(count: number) {
      while (waiting.length < count) await setTimeout(1)
    },
    release: () => {
      for (const resolve of waiting.splice(0)) resolve()
    },
  }
}

async function openConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** The next response, if it is short; empty if the server closes the connection. */
async function readResponse(socket: Socket): Promise<string> {
  let text = ''
  for (;;) {
    const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
    if (!(chunk instanceof Buffer)) return text
    text += chunk
    if (text.endsWith('}')) return text
  }
}

/** The status of one request, or 0 if the server closes the connection. */
async function sendRequest(socket: Socket, headers = ''): Promise<number> {
  const response = readResponse(socket)
  socket.write(head.replace(/\r\n\r\n$/, `\r\n${headers}\r\n`))
  return Number(/^HTTP\/1\.1 (\d+)/.exec(await response)?.[1] ?? 0)
}

/** A connection on which the server has already responded. */
async function openUsedConnection(port: number): Promise<Socket> {
  const socket = await openConnection(port)
  assert.equal(await sendRequest(socket), 200)
  return socket
}

function assertUnavailable({ status, headers, body }: Answer): void {
  assert.equal(status, 503)
  assert.deepEqual(body, { error: 'Service unavailable' })
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
  assert.match(headers['x-fapi-interaction-id'] ?? '', /^[0-9a-f-]{36}$/)
}

describeOn('sqlite', 'a provider at its in-flight limit', () => {
  it('rejects further requests immediately, completes the others, and then accepts requests again', async (t) => {
    const provider = await openSlowProvider(t, { inFlightMax: 2, inFlightMin: 2 })

    const admitted = [provider.get(path), provider.get(path)]
    await provider.untilWaiting(2)
    const rejected = await Promise.all([provider.get(path), provider.get(path)])
    provider.release()
    const answered = await Promise.all(admitted)
    const after = provider.get(path)
    await provider.untilWaiting(1)
    provider.release()

    for (const answer of rejected) assertUnavailable(answer)
    assert.deepEqual(
      answered.map(({ status }) => status),
      [200, 200],
    )
    assert.equal((await after).status, 200)
  })

  it('does not count a response whose client disconnected before it', async (t) => {
    const closed = Promise.withResolvers<void>()
    const provider = await openSlowProvider(t, { unsentBytesMax: 1 }, undefined, (app) =>
      app.server.once('request', (_request, response) => response.once('close', closed.resolve)),
    )
    const socket = await openConnection(provider.port)
    socket.write(head)
    await provider.untilWaiting(1)
    socket.destroy()
    await closed.promise
    provider.release()

    const after = provider.get(path)
    await Promise.race([after, provider.untilWaiting(1)])
    provider.release()

    assert.equal((await after).status, 200)
  })

  it('rejects pipelined requests one by one', async (t) => {
    const provider = await openSlowProvider(t, { inFlightMax: 1, inFlightMin: 1 })
    const admitted = provider.get(path)
    await provider.untilWaiting(1)
    const socket = await openConnection(provider.port)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })

    socket.write(head.repeat(3))
    while ((text.match(/Service unavailable"\}/g) ?? []).length < 3) await once(socket, 'data')
    provider.release()
    assert.equal((await admitted).status, 200)
    socket.write(head)
    await provider.untilWaiting(1)
    provider.release()
    while (!text.includes('"id":"ana"')) await once(socket, 'data')
    socket.destroy()
  })

  it('limits the requests in flight on one connection, and serves other connections', async (t) => {
    const provider = await openSlowProvider(t, { inFlightMax: 3, inFlightMin: 3, pipelinedMax: 2 })
    const socket = await openConnection(provider.port)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })

    socket.write(head.repeat(5))
    await provider.untilWaiting(2)
    const other = provider.get(path)
    await Promise.race([other, provider.untilWaiting(3)])
    provider.release()
    while ((text.match(/HTTP\/1\.1/g) ?? []).length < 5) await once(socket, 'data')
    socket.destroy()

    assert.equal((await other).status, 200)
    const statuses = text.match(/(?<=HTTP\/1\.1 )\d+/g)
    assert.deepEqual(statuses, ['200', '200', '503', '503', '503'])
  })

  it('does not wait for the body of a rejected request', async (t) => {
    const provider = await openSlowProvider(t, { inFlightMax: 0, inFlightMin: 0 })

    const answer = await provider.send('/auth/v1/customer/search', { method: 'POST', announced: 9 })

    assertUnavailable(answer)
  })
})

describeOn('sqlite', 'invalid HTTP after a request in flight', () => {
  it('is read up to the drain limit, in any number of chunks', async (t) => {
    const provider = await openSlowProvider(t, { drainBytesMax: 100 })
    const socket = await openConnection(provider.port)
    socket.setNoDelay(true)
    socket.write(head)
    await provider.untilWaiting(1)

    socket.resume()
    for (let chunk = 0; chunk < 1000 && !socket.destroyed; chunk += 1) {
      socket.write('not HTTP\r\n')
      await setTimeout(1)
    }
    const isClosed = socket.destroyed
    socket.destroy()
    provider.release()

    assert.equal(isClosed, true)
    assert.equal(socket.bytesRead, 0)
  })
})

describeOn('sqlite', 'a handler that times out', () => {
  it('is a 503, and its late result is ignored', async (t) => {
    const provider = await openSlowProvider(t, {
      handlerTimeoutMs: 20,
      checkIntervalMs: 5,
      inFlightMax: 1,
      inFlightMin: 1,
    })

    assertUnavailable(await provider.get(path))
    provider.release()
    let status = 503
    while (status === 503) {
      const next = provider.get(path)
      await provider.untilWaiting(1)
      provider.release()
      status = (await next).status
    }

    assert.equal(status, 200)
  })
})

describeOn('sqlite', 'a token that cannot be recorded', () => {
  it('is a 503 immediately, while the handler is still running', async (t) => {
    const { promise, reject } = Promise.withResolvers<void>()
    promise.catch(() => {})
    const provider = await openSlowProvider(t, {}, promise)

    const answer = provider.get(path)
    // A guard does not forward the request before.
    if (variant !== 'guard') await provider.untilWaiting(1)
    reject(new ContractError('unavailable'))

    assertUnavailable(await answer)
    provider.release()
  })
})

describeOn('sqlite', 'connections', () => {
  it('replace the one that has been idle longest at the limit', async (t) => {
    const { port, get } = await openProvider(t, ana, { limits: { connectionsMax: 2 } })
    const [first, second] = [await openUsedConnection(port), await openUsedConnection(port)]
    const closed = once(first, 'close')
    const third = await openConnection(port)

    await closed
    assert.equal(await sendRequest(third), 200)
    assert.equal(await sendRequest(second), 200)
    third.destroy()
    second.destroy()

    assert.equal((await get(path)).status, 200)
  })

  it('with a request in flight stay open: the new one is closed', async (t) => {
    const provider = await openSlowProvider(t, { connectionsMax: 1 })
    const busy = await openConnection(provider.port)
    busy.write(head)
    await provider.untilWaiting(1)

    const rejected = await openConnection(provider.port)
    await once(rejected.resume(), 'close')
    const answered = readResponse(busy)
    provider.release()

    assert.match(await answered, /^HTTP\/1\.1 200 /)
    // It is idle now.
    const closed = once(busy, 'close')
    const next = await openConnection(provider.port)
    await closed
    next.destroy()
  })

  it('without a valid token are closed first, even if used more recently', async (t) => {
    const provider = await openProvider(t, ana, {
      limits: { connectionsMax: 2 },
      verifyToken: requireAuthorization,
    })
    const authenticated = await openConnection(provider.port)
    assert.equal(await sendRequest(authenticated, 'Authorization: Bearer valid\r\n'), 200)
    const anonymous = await openConnection(provider.port)
    assert.equal(await sendRequest(anonymous), 401)

    const closed = once(anonymous, 'close')
    const third = await openConnection(provider.port)
    await closed

    assert.equal(await sendRequest(authenticated, 'Authorization: Bearer valid\r\n'), 200)
    third.destroy()
    authenticated.destroy()
  })

  it('without a valid token have a shorter idle timeout, and announce it', async (t) => {
    const provider = await openProvider(t, ana, {
      limits: { keepAliveTimeoutMs: 60_000, anonymousIdleMs: 1000, checkIntervalMs: 5 },
      verifyToken: requireAuthorization,
    })
    const authenticated = await openConnection(provider.port)
    const anonymous = await openConnection(provider.port)

    authenticated.write(head.replace('\r\n\r\n', '\r\nAuthorization: Bearer valid\r\n\r\n'))
    const trusted = await readResponse(authenticated)
    anonymous.write(head)
    const closed = once(anonymous, 'close')
    const untrusted = await readResponse(anonymous)
    await closed

    assert.match(trusted, /^keep-alive: timeout=60\r$/im)
    assert.match(untrusted, /^keep-alive: timeout=1\r$/im)
    assert.equal(await sendRequest(authenticated, 'Authorization: Bearer valid\r\n'), 200)
    authenticated.destroy()
  })

  it('from one address are limited by a setting', async (t) => {
    const { port } = await openProvider(t, ana, { limits: { addressConnectionsMax: 2 } })
    const open = [await openUsedConnection(port), await openUsedConnection(port)]
    const third = await openConnection(port)
    const otherAddress = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })

    await once(third.resume(), 'close')
    assert.equal(await sendRequest(otherAddress), 200)
    open[0]?.destroy()
    otherAddress.destroy()

    for (;;) {
      const next = await openConnection(port)
      const status = await sendRequest(next)
      next.destroy()
      if (status === 200) break
    }
    open[1]?.destroy()
  })

  it('are closed if the client does not read its response', async (t) => {
    const long = JSON.stringify({ id: 'ana', name: 'x'.repeat(30_000_000) })
    const { port, get } = await openProvider(t, ana, {
      // No other client can connect while this connection is open.
      limits: { connectionsMax: 1, writeTimeoutMs: 20, checkIntervalMs: 5 },
      around: (store) => ({
        ...store,
        readCustomer: async (id) => (id === 'long' ? long : store.readCustomer(id)),
      }),
    })
    const slow = await openConnection(port)
    let received = 0
    slow.on('data', (chunk) => {
      received += chunk.length
    })

    slow.write(head.replace('ana', 'long'))
    await once(slow, 'data')
    slow.pause()
    const status = await untilStatus(() => get(path))
    await once(slow.resume(), 'close')

    assert.equal(status, 200)
    assert.ok(received < long.length, `${received} bytes were received`)
  })

  it('stay open if the client reads many large responses in time', async (t) => {
    const long = JSON.stringify({ id: 'ana', name: 'x'.repeat(3_000_000) })
    const { port } = await openProvider(t, ana, {
      limits: { writeTimeoutMs: 2000, checkIntervalMs: 5 },
      around: (store) => ({ ...store, readCustomer: async () => long }),
    })
    const socket = await openConnection(port)
    const count = 30
    let received = 0
    socket.on('data', (chunk) => {
      received += chunk.length
    })

    socket.write(head.repeat(count))
    while (received < count * long.length) await once(socket, 'data')
    socket.destroy()

    assert.ok(received >= count * long.length)
  })
})

/** Sends the request until a connection is accepted. */
async function untilStatus(send: () => Promise<Answer>): Promise<number> {
  for (;;) {
    const status = await send().then(
      (answer) => answer.status,
      () => 0,
    )
    if (status !== 0) return status
    await setTimeout(5)
  }
}
