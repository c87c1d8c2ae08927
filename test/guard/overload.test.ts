import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { it, type TestContext } from 'node:test'
import { openProviderApp } from '../../src/http/provider-app.ts'
import { createScope, describeOnce } from '../support/engines.ts'
import { forwardAll } from '../support/guard-server.ts'
import { send } from '../support/http.ts'
import { accountsPath, balancesPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import { accountsPage, openRawUpstream, openUpstream, rawResponse } from '../support/upstream.ts'

const upstreamMs = 800

const body = JSON.stringify({ data: { accountIds: ['a1'] } })

/** A guard in front of an upstream that responds only when `answer` is called. */
async function openHanging(t: TestContext, limits: { bodies: number; connections: number }) {
  const scope = createScope(t)
  const held: Socket[] = []
  const { address: upstream, requestLines } = await openRawUpstream(scope, (socket) =>
    held.push(socket),
  )
  const { bodies, connections } = limits
  const options = { connections, requestBytesMax: bodies * body.length }
  const app = openProviderApp({
    version: '0.0.0',
    responders: forwardAll(scope, upstream, options),
    verifyToken: async () => ({ recorded: Promise.resolve() }),
    keepBodies: true,
  })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  scope.after(() => app.close())
  return {
    address,
    held,
    requestLines,
    ask: () => send(address, balancesPath, { method: 'POST', body }),
    answer: () => held.shift()?.write(rawResponse(accountsPage)),
  }
}

async function statusesOf(answers: readonly Promise<{ status: number }>[]): Promise<number[]> {
  return (await Promise.all(answers)).map(({ status }) => status)
}

describeOnce('requests whose clients disconnect', () => {
  it('use no connection to the upstream if they waited for one', async (t) => {
    const scope = createScope(t)
    const held: Socket[] = []
    const upstream = await openRawUpstream(scope, (socket, number) => {
      if (number === 0) held.push(socket)
      else socket.write(rawResponse(accountsPage))
    })
    let received = 0
    const app = openProviderApp({
      version: '0.0.0',
      responders: forwardAll(scope, upstream.address, { connections: 1 }),
      verifyToken: async () => {
        received += 1
        return { recorded: Promise.resolve() }
      },
    })
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    scope.after(() => app.close())
    let closed = 0
    app.server.on('request', (_request, response) => response.on('close', () => (closed += 1)))
    const first = send(address, accountsPath)
    await until(() => held.length === 1)
    const abort = new AbortController()
    const aborted = Array.from({ length: 10 }, () =>
      fetch(address + accountsPath, { signal: abort.signal }),
    )
    await until(() => received === 11)
    abort.abort()
    await Promise.allSettled(aborted)
    await until(() => closed === 10)
    const last = send(address, accountsPath)
    await until(() => received === 12)

    held[0]?.write(rawResponse(accountsPage))

    assert.deepEqual([(await first).status, (await last).status], [200, 200])
    assert.equal(upstream.requestLines.length, 2)
    assert.equal(upstream.sockets.length, 1)
  })

  it('neither reach the upstream nor close its connection if the use of their tokens is not recorded yet', async (t) => {
    const scope = createScope(t)
    const upstream = await openRawUpstream(scope, (socket) =>
      socket.write(rawResponse(accountsPage)),
    )
    const recorded = Promise.withResolvers<void>()
    let received = 0
    const app = openProviderApp({
      version: '0.0.0',
      responders: forwardAll(scope, upstream.address),
      verifyToken: async () => {
        received += 1
        return { recorded: received === 2 ? recorded.promise : Promise.resolve() }
      },
    })
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    scope.after(() => app.close())
    // An open connection is used at once.
    await send(address, accountsPath)
    let isClosed = false
    app.server.once('request', (_request, response) =>
      response.on('close', () => (isClosed = true)),
    )
    const abort = new AbortController()
    const asked = fetch(`${address}${accountsPath}?page=2`, { signal: abort.signal })
    await until(() => received === 2)
    abort.abort()
    await assert.rejects(asked)
    await until(() => isClosed)

    recorded.resolve()

    assert.equal((await send(address, `${accountsPath}?page=3`)).status, 200)
    assert.deepEqual(
      upstream.requestLines.map((line) => line.split(' ')[1]),
      [accountsPath, `${accountsPath}?page=3`],
    )
    assert.equal(upstream.sockets.length, 1)
  })
})

describeOnce('the bodies of requests that wait for the upstream', () => {
  it('are limited: a further request with a body gets a 503', async (t) => {
    const { ask, held, answer, requestLines } = await openHanging(t, { bodies: 2, connections: 10 })
    const waiting = [ask(), ask()]
    await until(() => held.length === 2)

    const { status, headers } = await ask()

    assert.deepEqual([status, headers['retry-after']], [503, '1'])
    assert.equal(requestLines.length, 2)
    answer()
    assert.equal((await Promise.race(waiting)).status, 200)
    const next = ask()
    await until(() => held.length === 2)
    answer()
    answer()
    assert.deepEqual(await statusesOf([...waiting, next]), [200, 200, 200])
  })

  it('count until a connection is free, also after their clients disconnected', async (t) => {
    const { ask, held, answer, address } = await openHanging(t, { bodies: 2, connections: 1 })
    const first = ask()
    await until(() => held.length === 1)
    const abort = new AbortController()
    const fields = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const asked = [1, 2].map(() =>
      fetch(address + balancesPath, { ...fields, signal: abort.signal }),
    )
    // One of them waits for the connection.
    assert.equal((await Promise.race(asked)).status, 503)
    abort.abort()
    await Promise.allSettled(asked)

    assert.equal((await ask()).status, 503)
    answer()
    assert.equal((await first).status, 200)
    const last = ask()
    await until(() => held.length === 1)
    answer()
    assert.equal((await last).status, 200)
  })
})

describeOnce('a slow upstream', () => {
  it('does not lower the concurrency limit of the guard', async (t) => {
    const scope = createScope(t)
    const upstream = await openUpstream(scope, (response) => {
      response.setHeader('content-type', 'application/json')
      setTimeout(() => response.end(accountsPage), upstreamMs)
    })
    const app = openProviderApp({
      version: '0.0.0',
      responders: forwardAll(scope, upstream.address),
      verifyToken: async () => ({ recorded: Promise.resolve() }),
      limits: { inFlightMin: 1, latencyTargetMs: upstreamMs / 2 },
    })
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    scope.after(() => app.close())
    const ask = () => send(address, accountsPath)

    // The rounds overlap: the limit is reset when nothing is in flight.
    const answers = []
    for (let round = 0; round < 5; round += 1) {
      const first = ask()
      answers.push(first, ...Array.from({ length: 4 }, ask))
      await Promise.race([first, new Promise((resolve) => setTimeout(resolve, upstreamMs / 2))])
    }

    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    assert.deepEqual(new Set(statuses), new Set([200]))
  })
})
