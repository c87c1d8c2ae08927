import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openConcurrencyLimit } from '../../src/http/concurrency-limit.ts'

const limits = {
  inFlightMax: 100,
  inFlightMin: 10,
  latencyTargetMs: 50,
  overloadAfterMs: 300,
  sampleMs: 100,
  iterationAdmitMin: 4,
  iterationMs: 50,
  burstMs: 500,
}

/** Requests in turns of the process, by a clock that only the test moves. */
function openDoor() {
  let now = 10_000
  let cpu = 0
  const concurrency = openConcurrencyLimit(limits, { now: () => now, cpu: () => cpu })
  /** A turn of so long in which so many arrive, who are answered at its end: how many were let in. */
  const turn = async (
    arriving: number,
    tookMs: number,
    answeredInMs = tookMs,
    inFlight = 0,
  ): Promise<number> => {
    let admitted = 0
    for (let index = 0; index < arriving; index += 1) {
      if (concurrency.admits(inFlight + admitted)) admitted += 1
    }
    now += tookMs
    await setImmediate()
    for (let index = 0; index < admitted; index += 1) concurrency.recordLatency(answeredInMs)
    return admitted
  }
  const turns = async (count: number, ...rest: Parameters<typeof turn>) => {
    let last = 0
    for (let index = 0; index < count; index += 1) last = await turn(...rest)
    return last
  }
  const pause = (ms: number) => {
    now += ms
  }
  /** As many arrive in one turn, each answered before the next is read: how many were let in. */
  const turnOfEach = async (arriving: number, eachMs: number, eachCpuMs = eachMs) => {
    let admitted = 0
    for (let index = 0; index < arriving; index += 1) {
      if (!concurrency.admits(0)) continue
      admitted += 1
      now += eachMs
      cpu += eachCpuMs
      concurrency.recordLatency(eachMs)
    }
    await setImmediate()
    return admitted
  }
  return { turn, turns, turnOfEach, pause }
}

describe('the concurrency limit', () => {
  it('are let in up to the most that are worked on at once', async () => {
    const { turn } = openDoor()

    assert.equal(await turn(1000, 1), 100)
  })

  it('are let in where it is a burst', async () => {
    const { turn } = openDoor()

    assert.equal(await turn(80, 250), 80)
    assert.equal(await turn(80, 1), 80)
  })

  it('are fewer and fewer while turns stay long, but never none', async () => {
    const { turn, turns } = openDoor()

    await turns(5, 100, 120)
    const fewer = await turn(100, 120)
    await turns(20, 100, 120)

    assert.ok(fewer < 100, `${fewer}`)
    assert.equal(await turn(100, 120), 10)
  })

  it('are as few at once as fit where turns are far too long', async () => {
    const { turn } = openDoor()

    await turn(100, 400)

    assert.equal(await turn(100, 20), Math.ceil((100 * 50) / 400))
  })

  it('are fewer while no answer is quick, though turns are', async () => {
    const { turn, turns } = openDoor()

    await turns(100, 100, 20, 500)

    assert.equal(await turn(100, 20), 10)
  })

  it('are as many as ever where some answers are slow and some quick', async () => {
    const { turn, turns } = openDoor()
    for (let index = 0; index < 50; index += 1) {
      await turn(50, 20, 500)
      await turn(50, 20, 5)
    }

    assert.equal(await turns(1, 100, 20), 100)
  })

  it('are more again as soon as turns are short', async () => {
    const { turn, turns } = openDoor()
    await turns(30, 100, 120)

    const first = await turn(100, 20)
    const later = await turns(60, 100, 20)

    assert.equal(first, 10)
    assert.ok(later > 20, `${later}`)
  })

  it('are no more after a time in which others still waited', async () => {
    const { turn, turns, pause } = openDoor()
    await turns(30, 100, 120)

    pause(200)

    assert.equal(await turn(100, 120, 120, 5), 5)
  })

  it('are as many as ever after a pause', async () => {
    const { turn, turns, pause } = openDoor()
    await turns(30, 100, 120)

    pause(200)

    assert.equal(await turn(100, 120), 100)
  })
})

describe('requests that are answered one after another, without waiting', () => {
  it('are let in where it is a burst, for as long as a burst may take', async () => {
    const { turnOfEach } = openDoor()

    assert.equal(await turnOfEach(50, 9), 50)
    assert.equal(await openDoor().turnOfEach(90, 10), 4 + 51)
  })

  it('are as many in a turn as it has time for, while turns stay long', async () => {
    const { turnOfEach } = openDoor()

    await turnOfEach(100, 10)

    assert.equal(await turnOfEach(100, 10), 4 + 6)
    assert.equal(await turnOfEach(100, 10), 4 + 6)
  })

  it('are a few in a turn however long each takes', async () => {
    const { turnOfEach } = openDoor()

    await turnOfEach(100, 100)

    assert.equal(await turnOfEach(100, 100), 4 + 1)
  })

  it('are no fewer where the process itself had no CPU', async () => {
    const { turnOfEach } = openDoor()

    assert.equal(await turnOfEach(90, 100, 1), 90)
  })

  it('are more again once a turn is short', async () => {
    const { turnOfEach } = openDoor()
    await turnOfEach(100, 10)
    for (let count = 0; count < 20; count += 1) await turnOfEach(4, 5)

    assert.equal(await turnOfEach(50, 9), 50)
  })
})
