import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openConcurrencyLimit } from './concurrency-limit.ts'
import { httpLimits } from './limits.ts'

const limits = {
  ...httpLimits,
  inFlightMax: 100,
  inFlightMin: 10,
  latencyTargetMs: 50,
  overloadAfterMs: 300,
  sampleMs: 100,
  iterationAdmitMin: 4,
  iterationMs: 50,
  burstMs: 500,
}

/** A limiter with a clock that the test controls. */
function openSimulation() {
  let now = 10_000
  let cpu = 0
  const limiter = openConcurrencyLimit(limits, { now: () => now, cpu: () => cpu })
  /** One event-loop iteration whose requests are answered at its end. Returns how many were admitted. */
  const iterate = async (
    arriving: number,
    durationMs: number,
    latencyMs = durationMs,
    inFlight = 0,
  ): Promise<number> => {
    let admitted = 0
    for (let index = 0; index < arriving; index += 1) {
      if (limiter.admits(inFlight + admitted)) admitted += 1
    }
    now += durationMs
    await setImmediate()
    for (let index = 0; index < admitted; index += 1) limiter.recordLatency(latencyMs)
    return admitted
  }
  /** Returns how many the last iteration admitted. */
  const iterateTimes = async (count: number, ...rest: Parameters<typeof iterate>) => {
    let last = 0
    for (let index = 0; index < count; index += 1) last = await iterate(...rest)
    return last
  }
  const pause = (ms: number) => {
    now += ms
  }
  /** One iteration in which each request is answered before the next is read. Returns how many were admitted. */
  const iterateSequentially = async (arriving: number, eachMs: number, eachCpuMs = eachMs) => {
    let admitted = 0
    for (let index = 0; index < arriving; index += 1) {
      if (!limiter.admits(0)) continue
      admitted += 1
      now += eachMs
      cpu += eachCpuMs
      limiter.recordLatency(eachMs)
    }
    await setImmediate()
    return admitted
  }
  return { iterate, iterateTimes, iterateSequentially, pause }
}

describe('the concurrency limit', () => {
  it('admits up to the maximum', async () => {
    const { iterate } = openSimulation()

    assert.equal(await iterate(1000, 1), 100)
  })

  it('admits a burst', async () => {
    const { iterate } = openSimulation()

    assert.equal(await iterate(80, 250), 80)
    assert.equal(await iterate(80, 1), 80)
  })

  it('decreases while iterations are long, down to the minimum', async () => {
    const { iterate, iterateTimes } = openSimulation()

    await iterateTimes(5, 100, 120)
    const reduced = await iterate(100, 120)
    await iterateTimes(20, 100, 120)

    assert.ok(reduced < 100, `${reduced}`)
    assert.equal(await iterate(100, 120), 10)
  })

  it('decreases in proportion to how far an iteration exceeded the target', async () => {
    const { iterate } = openSimulation()

    await iterate(100, 400)

    assert.equal(await iterate(100, 20), Math.ceil((100 * 50) / 400))
  })

  it('decreases while all requests are slow, even if iterations are short', async () => {
    const { iterate, iterateTimes } = openSimulation()

    await iterateTimes(100, 100, 20, 500)

    assert.equal(await iterate(100, 20), 10)
  })

  it('does not decrease if some requests are fast', async () => {
    const { iterate, iterateTimes } = openSimulation()
    for (let index = 0; index < 50; index += 1) {
      await iterate(50, 20, 500)
      await iterate(50, 20, 5)
    }

    assert.equal(await iterateTimes(1, 100, 20), 100)
  })

  it('increases again once iterations are short', async () => {
    const { iterate, iterateTimes } = openSimulation()
    await iterateTimes(30, 100, 120)

    const first = await iterate(100, 20)
    const later = await iterateTimes(60, 100, 20)

    assert.equal(first, 10)
    assert.ok(later > 20, `${later}`)
  })

  it('does not reset after an idle window with requests in flight', async () => {
    const { iterate, iterateTimes, pause } = openSimulation()
    await iterateTimes(30, 100, 120)

    pause(200)

    assert.equal(await iterate(100, 120, 120, 5), 5)
  })

  it('resets after an idle window with nothing in flight', async () => {
    const { iterate, iterateTimes, pause } = openSimulation()
    await iterateTimes(30, 100, 120)

    pause(200)

    assert.equal(await iterate(100, 120), 100)
  })
})

describe('an iteration whose handlers never wait', () => {
  it('admits a burst, up to the CPU time of a burst', async () => {
    const { iterateSequentially } = openSimulation()

    assert.equal(await iterateSequentially(50, 9), 50)
    assert.equal(await openSimulation().iterateSequentially(90, 10), 4 + 51)
  })

  it('admits as many requests as its CPU time permits, during overload', async () => {
    const { iterateSequentially } = openSimulation()

    await iterateSequentially(100, 10)

    assert.equal(await iterateSequentially(100, 10), 4 + 6)
    assert.equal(await iterateSequentially(100, 10), 4 + 6)
  })

  it('admits the minimum, however slow each request is', async () => {
    const { iterateSequentially } = openSimulation()

    await iterateSequentially(100, 100)

    assert.equal(await iterateSequentially(100, 100), 4 + 1)
  })

  it('admits no fewer if other processes use the CPU', async () => {
    const { iterateSequentially } = openSimulation()

    assert.equal(await iterateSequentially(90, 100, 1), 90)
  })

  it('admits more again after short iterations', async () => {
    const { iterateSequentially } = openSimulation()
    await iterateSequentially(100, 10)
    for (let count = 0; count < 20; count += 1) await iterateSequentially(4, 5)

    assert.equal(await iterateSequentially(50, 9), 50)
  })
})
