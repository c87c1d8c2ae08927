import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { HttpLimits } from '../../src/http/limits.ts'
import type { ProviderStore } from '../../src/provider/store.ts'
import { describeOn } from '../support/engines.ts'
import { type Answer, openWorld } from '../support/world.ts'
import * as lines from '../support/world-lines.ts'

const path = '/auth/v1/customer/ana'
const head = `GET ${path} HTTP/1.1\r\nHost: holdfast\r\n\r\n`
const ana = [lines.customer('ana')]

/** A provider whose readers of customers are slow: each waits until the test lets it go on. */
async function openSlowWorld(t: TestContext, limits: Partial<HttpLimits>) {
  const waiting: (() => void)[] = []
  const around = (store: ProviderStore): ProviderStore => ({
    ...store,
    readCustomer: async (id) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return store.readCustomer(id)
    },
  })
  const world = await openWorld(t, ana, { limits, around })
  return {
    ...world,
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

function assertUnavailable({ status, headers, body }: Answer): void {
  assert.equal(status, 503)
  assert.deepEqual(body, { error: 'Service unavailable' })
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
  assert.match(headers['x-fapi-interaction-id'] ?? '', /^[0-9a-f-]{36}$/)
}

describeOn('sqlite', 'a provider with all hands full', { timeout: 30_000 }, () => {
  it('turns the next request away at once, answers the others, and then the next again', async (t) => {
    const world = await openSlowWorld(t, { workMax: 2, workMin: 2 })

    const begun = [world.get(path), world.get(path)]
    await world.untilWaiting(2)
    const refused = await Promise.all([world.get(path), world.get(path)])
    world.letGo()
    const answered = await Promise.all(begun)
    const after = world.get(path)
    await world.untilWaiting(1)
    world.letGo()

    for (const answer of refused) assertUnavailable(answer)
    assert.deepEqual(
      answered.map(({ status }) => status),
      [200, 200],
    )
    assert.equal((await after).status, 200)
  })

  it('turns away each of several requests on one connection by itself', async (t) => {
    const world = await openSlowWorld(t, { workMax: 1, workMin: 1 })
    const begun = world.get(path)
    await world.untilWaiting(1)
    const socket = await dial(world.port)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })

    socket.write(head.repeat(3))
    while ((text.match(/Service unavailable"\}/g) ?? []).length < 3) await once(socket, 'data')
    world.letGo()
    socket.write(head)
    await world.untilWaiting(1)
    world.letGo()
    while (!text.includes('"id":"ana"')) await once(socket, 'data')
    socket.destroy()

    assert.equal((await begun).status, 200)
  })

  it('does not wait for the body of what it turns away', async (t) => {
    const world = await openSlowWorld(t, { workMax: 0, workMin: 0 })

    const answer = await world.send('/auth/v1/customer/search', { method: 'POST', announced: 9 })

    assertUnavailable(answer)
  })
})

describeOn('sqlite', 'an answer that takes too long', { timeout: 30_000 }, () => {
  it('is a 503, and what comes of it later disturbs nobody', async (t) => {
    const world = await openSlowWorld(t, { handlerMs: 20, checkMs: 5, workMax: 1, workMin: 1 })

    assertUnavailable(await world.get(path))
    world.letGo()
    let status = 503
    while (status === 503) {
      const next = world.get(path)
      await world.untilWaiting(1)
      world.letGo()
      status = (await next).status
    }

    assert.equal(status, 200)
  })
})

describeOn('sqlite', 'connections', { timeout: 30_000 }, () => {
  it('beyond the most that there may be are closed at once, and taken again when there is room', async (t) => {
    const { port, get } = await openWorld(t, ana, { limits: { connectionsMax: 2 } })
    const held = [await dial(port), await dial(port)]
    const third = await dial(port)

    await once(third.resume(), 'close')
    for (const socket of held) socket.destroy()

    assert.equal(await untilStatus(() => get(path)), 200)
  })

  it('whose callers do not take their answer are cut', async (t) => {
    const long = JSON.stringify({ id: 'ana', name: 'x'.repeat(30_000_000) })
    const { port, get } = await openWorld(t, ana, {
      // While it holds the only connection, nobody else gets one.
      limits: { connectionsMax: 1, answerMs: 20, checkMs: 5 },
      around: (store) => ({
        ...store,
        readCustomer: async (id) => (id === 'long' ? long : store.readCustomer(id)),
      }),
    })
    const slow = await dial(port)
    slow.pause()

    slow.write(head.replace('ana', 'long'))
    const status = await untilStatus(() => get(path))
    let taken = 0
    slow.on('data', (chunk) => {
      taken += chunk.length
    })
    await once(slow.resume(), 'close')

    assert.equal(status, 200)
    assert.ok(taken < long.length, `${taken} bytes were taken`)
  })

  it('whose callers take many long answers in time are not', async (t) => {
    const long = JSON.stringify({ id: 'ana', name: 'x'.repeat(3_000_000) })
    const { port } = await openWorld(t, ana, {
      limits: { answerMs: 2000, checkMs: 5 },
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
