import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Guard } from '../../src/auth/guard.ts'
import { ContractError } from '../../src/contract/index.ts'
import type { HttpLimits } from '../../src/http/limits.ts'
import type { ProviderStore } from '../../src/provider/store.ts'
import { describeOn } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import * as lines from '../support/lines.ts'
import { openProvider } from '../support/provider.ts'

const path = '/auth/v1/customer/ana'
const head = `GET ${path} HTTP/1.1\r\nHost: holdfast\r\n\r\n`
const ana = [lines.customer('ana')]

/** Accepts any token. */
const requireAuthorization: Guard = async ({ authorization }) => {
  if (authorization.length === 0) throw new ContractError('unauthorized')
  return { recorded: Promise.resolve() }
}

/** A provider whose readers of customers are slow: each waits until the test lets it go on. */
async function openSlowProvider(
  t: TestContext,
  limits: Partial<HttpLimits>,
  recorded = Promise.resolve(),
) {
  const waiting: (() => void)[] = []
  const around = (store: ProviderStore): ProviderStore => ({
    ...store,
    readCustomer: async (id) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return store.readCustomer(id)
    },
  })
  const provider = await openProvider(t, ana, { limits, around, guard: async () => ({ recorded }) })
  return {
    ...provider,
    /** When so many are waiting. */
    async untilWaiting(count: number) {
      while (waiting.length < count) await setTimeout(1)
    },
    letGo: () => {
      for (const resolve of waiting.splice(0)) resolve()
    },
  }
}

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** What comes next, up to the end of a short answer; nothing where the server closes the connection. */
async function answerOn(socket: Socket): Promise<string> {
  let text = ''
  for (;;) {
    const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
    if (!(chunk instanceof Buffer)) return text
    text += chunk
    if (text.endsWith('}')) return text
  }
}

/** The status of one request, or 0 where the server closes the connection. */
async function statusOn(socket: Socket, headers = ''): Promise<number> {
  const answer = answerOn(socket)
  socket.write(head.replace(/\r\n\r\n$/, `\r\n${headers}\r\n`))
  return Number(/^HTTP\/1\.1 (\d+)/.exec(await answer)?.[1] ?? 0)
}

/** A connection that the server has seen: it has answered on it. */
async function connected(port: number): Promise<Socket> {
  const socket = await dial(port)
  assert.equal(await statusOn(socket), 200)
  return socket
}

function assertUnavailable({ status, headers, body }: Answer): void {
  assert.equal(status, 503)
  assert.deepEqual(body, { error: 'Service unavailable' })
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
  assert.match(headers['x-fapi-interaction-id'] ?? '', /^[0-9a-f-]{36}$/)
}

describeOn('sqlite', 'a provider with all hands full', { timeout: 30_000 }, () => {
  it('turns the next request away at once, answers the others, and then the next again', async (t) => {
    const provider = await openSlowProvider(t, { inFlightMax: 2, inFlightMin: 2 })

    const begun = [provider.get(path), provider.get(path)]
    await provider.untilWaiting(2)
    const refused = await Promise.all([provider.get(path), provider.get(path)])
    provider.letGo()
    const answered = await Promise.all(begun)
    const after = provider.get(path)
    await provider.untilWaiting(1)
    provider.letGo()

    for (const answer of refused) assertUnavailable(answer)
    assert.deepEqual(
      answered.map(({ status }) => status),
      [200, 200],
    )
    assert.equal((await after).status, 200)
  })

  it('turns away each of several requests on one connection by itself', async (t) => {
    const provider = await openSlowProvider(t, { inFlightMax: 1, inFlightMin: 1 })
    const begun = provider.get(path)
    await provider.untilWaiting(1)
    const socket = await dial(provider.port)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })

    socket.write(head.repeat(3))
    while ((text.match(/Service unavailable"\}/g) ?? []).length < 3) await once(socket, 'data')
    provider.letGo()
    socket.write(head)
    await provider.untilWaiting(1)
    provider.letGo()
    while (!text.includes('"id":"ana"')) await once(socket, 'data')
    socket.destroy()

    assert.equal((await begun).status, 200)
  })

  it('takes only so many requests from one connection, and those of others meanwhile', async (t) => {
    const provider = await openSlowProvider(t, { inFlightMax: 3, inFlightMin: 3, pipelinedMax: 2 })
    const socket = await dial(provider.port)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })

    socket.write(head.repeat(5))
    await provider.untilWaiting(2)
    const other = provider.get(path)
    await Promise.race([other, provider.untilWaiting(3)])
    provider.letGo()
    while ((text.match(/HTTP\/1\.1/g) ?? []).length < 5) await once(socket, 'data')
    socket.destroy()

    assert.equal((await other).status, 200)
    const statuses = text.match(/(?<=HTTP\/1\.1 )\d+/g)
    assert.deepEqual(statuses, ['200', '200', '503', '503', '503'])
  })

  it('does not wait for the body of what it turns away', async (t) => {
    const provider = await openSlowProvider(t, { inFlightMax: 0, inFlightMin: 0 })

    const answer = await provider.send('/auth/v1/customer/search', { method: 'POST', announced: 9 })

    assertUnavailable(answer)
  })
})

describeOn('sqlite', 'what is not HTTP after a request in flight', { timeout: 30_000 }, () => {
  it('is read only so far, in however many pieces it comes', async (t) => {
    const provider = await openSlowProvider(t, { drainBytesMax: 100 })
    const socket = await dial(provider.port)
    socket.setNoDelay(true)
    socket.write(head)
    await provider.untilWaiting(1)

    socket.resume()
    for (let piece = 0; piece < 1000 && !socket.destroyed; piece += 1) {
      socket.write('not HTTP\r\n')
      await setTimeout(1)
    }
    const isClosed = socket.destroyed
    socket.destroy()
    provider.letGo()

    assert.equal(isClosed, true)
    assert.equal(socket.bytesRead, 0)
  })
})

describeOn('sqlite', 'an answer that takes too long', { timeout: 30_000 }, () => {
  it('is a 503, and its late result affects no other request', async (t) => {
    const provider = await openSlowProvider(t, {
      handlerTimeoutMs: 20,
      checkIntervalMs: 5,
      inFlightMax: 1,
      inFlightMin: 1,
    })

    assertUnavailable(await provider.get(path))
    provider.letGo()
    let status = 503
    while (status === 503) {
      const next = provider.get(path)
      await provider.untilWaiting(1)
      provider.letGo()
      status = (await next).status
    }

    assert.equal(status, 200)
  })
})

describeOn('sqlite', 'a token that cannot be recorded', { timeout: 30_000 }, () => {
  it('is a 503 at once, although the answer is still being made', async (t) => {
    const { promise, reject } = Promise.withResolvers<void>()
    const provider = await openSlowProvider(t, {}, promise)

    const answer = provider.get(path)
    await provider.untilWaiting(1)
    reject(new ContractError('unavailable'))

    assertUnavailable(await answer)
    provider.letGo()
  })
})

describeOn('sqlite', 'connections', { timeout: 30_000 }, () => {
  it('take the place of the one that has been idle for longest when there are too many', async (t) => {
    const { port, get } = await openProvider(t, ana, { limits: { connectionsMax: 2 } })
    const [first, second] = [await connected(port), await connected(port)]
    const closed = once(first, 'close')
    const third = await dial(port)

    await closed
    assert.equal(await statusOn(third), 200)
    assert.equal(await statusOn(second), 200)
    third.destroy()
    second.destroy()

    assert.equal((await get(path)).status, 200)
  })

  it('are never closed while a request is in flight: the new one is', async (t) => {
    const provider = await openSlowProvider(t, { connectionsMax: 1 })
    const busy = await dial(provider.port)
    busy.write(head)
    await provider.untilWaiting(1)

    const refused = await dial(provider.port)
    await once(refused.resume(), 'close')
    const answered = answerOn(busy)
    provider.letGo()

    assert.match(await answered, /^HTTP\/1\.1 200 /)
    // Now it is idle.
    const closed = once(busy, 'close')
    const next = await dial(provider.port)
    await closed
    next.destroy()
  })

  it('without a valid token are closed first, whatever they did last', async (t) => {
    const provider = await openProvider(t, ana, {
      limits: { connectionsMax: 2 },
      guard: requireAuthorization,
    })
    const authenticated = await dial(provider.port)
    assert.equal(await statusOn(authenticated, 'Authorization: Bearer good\r\n'), 200)
    const anonymous = await dial(provider.port)
    assert.equal(await statusOn(anonymous), 401)

    const closed = once(anonymous, 'close')
    const third = await dial(provider.port)
    await closed

    assert.equal(await statusOn(authenticated, 'Authorization: Bearer good\r\n'), 200)
    third.destroy()
    authenticated.destroy()
  })

  it('without a valid token are idle for a short time, and say so', async (t) => {
    const provider = await openProvider(t, ana, {
      limits: { keepAliveTimeoutMs: 60_000, anonymousIdleMs: 1000, checkIntervalMs: 5 },
      guard: requireAuthorization,
    })
    const authenticated = await dial(provider.port)
    const anonymous = await dial(provider.port)

    authenticated.write(head.replace('\r\n\r\n', '\r\nAuthorization: Bearer good\r\n\r\n'))
    const patient = await answerOn(authenticated)
    anonymous.write(head)
    const closed = once(anonymous, 'close')
    const hasty = await answerOn(anonymous)
    await closed

    assert.match(patient, /^keep-alive: timeout=60\r$/im)
    assert.match(hasty, /^keep-alive: timeout=1\r$/im)
    assert.equal(await statusOn(authenticated, 'Authorization: Bearer good\r\n'), 200)
    authenticated.destroy()
  })

  it('from one address are as many as may be, where that is limited', async (t) => {
    const { port } = await openProvider(t, ana, { limits: { addressConnectionsMax: 2 } })
    const held = [await connected(port), await connected(port)]
    const third = await dial(port)
    const elsewhere = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })

    await once(third.resume(), 'close')
    assert.equal(await statusOn(elsewhere), 200)
    held[0]?.destroy()
    elsewhere.destroy()

    for (;;) {
      const next = await dial(port)
      const status = await statusOn(next)
      next.destroy()
      if (status === 200) break
    }
    held[1]?.destroy()
  })

  it('whose callers do not take their answer are cut', async (t) => {
    const long = JSON.stringify({ id: 'ana', name: 'x'.repeat(30_000_000) })
    const { port, get } = await openProvider(t, ana, {
      // While it holds the only connection, no other call gets one.
      limits: { connectionsMax: 1, writeTimeoutMs: 20, checkIntervalMs: 5 },
      around: (store) => ({
        ...store,
        readCustomer: async (id) => (id === 'long' ? long : store.readCustomer(id)),
      }),
    })
    const slow = await dial(port)
    let taken = 0
    slow.on('data', (chunk) => {
      taken += chunk.length
    })

    slow.write(head.replace('ana', 'long'))
    await once(slow, 'data')
    slow.pause()
    const status = await untilStatus(() => get(path))
    await once(slow.resume(), 'close')

    assert.equal(status, 200)
    assert.ok(taken < long.length, `${taken} bytes were taken`)
  })

  it('whose callers take many long answers in time are not', async (t) => {
    const long = JSON.stringify({ id: 'ana', name: 'x'.repeat(3_000_000) })
    const { port } = await openProvider(t, ana, {
      limits: { writeTimeoutMs: 2000, checkIntervalMs: 5 },
      around: (store) => ({ ...store, readCustomer: async () => long }),
    })
    const socket = await dial(port)
    const count = 30
    let taken = 0
    socket.on('data', (chunk) => {
      taken += chunk.length
    })

    socket.write(head.repeat(count))
    while (taken < count * long.length) await once(socket, 'data')
    socket.destroy()

    assert.ok(taken >= count * long.length)
  })
})

/** Asks until there is a connection to ask on. */
async function untilStatus(ask: () => Promise<Answer>): Promise<number> {
  for (;;) {
    const status = await ask().then(
      (answer) => answer.status,
      () => 0,
    )
    if (status !== 0) return status
    await setTimeout(5)
  }
}
