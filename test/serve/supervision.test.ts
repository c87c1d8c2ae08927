import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type SupervisionLimits, supervisionLimits } from '../../src/server/workers.ts'
import { createScope, type Scope } from '../support/engines.ts'
import { type Server, sendSignal, startListening } from '../support/process.ts'
import { until } from '../support/until.ts'

const program = fileURLToPath(new URL('supervised.ts', import.meta.url))

/** Never stuck, as far as a test that does not ask for it is concerned. */
const patient = { intervalMs: 50, missedMax: 100_000 }

async function supervise(scope: Scope, changed: Partial<SupervisionLimits> = {}): Promise<Server> {
  const limits = { ...supervisionLimits, heartbeat: patient, ...changed }
  const inner = createScope(scope)
  const supervised = await startListening(inner, [
    process.execPath,
    program,
    JSON.stringify(limits),
  ])
  // Workers that are stopped would not end with their supervisor.
  inner.after(async () => {
    for (const pid of supervised.workers()) sendSignal(pid, 'SIGKILL')
  })
  return supervised
}

/** What a request on a connection of its own is answered with; the code of its error where it is not. */
function ask({ address }: Server, path = '/'): Promise<string> {
  return new Promise((resolve) => {
    get(address + path, { agent: false }, (response) => {
      text(response).then(resolve, (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
  })
}

const isAnswer = (answer: string) => /^\d+$/.test(answer)

describe('a worker that is stuck', { concurrency: 3 }, () => {
  const heartbeat = { intervalMs: 100, missedMax: 15 }

  it('is killed soon enough to be replaced within ten seconds', () => {
    const { intervalMs, missedMax } = supervisionLimits.heartbeat

    assert.ok(intervalMs * (missedMax + 1) <= 8000)
    assert.ok(supervisionLimits.immediateRestarts > 0)
  })

  it('is replaced where the process is stopped', async (t) => {
    const supervised = await supervise(t, { heartbeat })
    const [stuck = 0] = supervised.workers()

    process.kill(stuck, 'SIGSTOP')
    await until(() => !supervised.workers().includes(stuck) && supervised.workers().length === 2)

    assert.ok(isAnswer(await ask(supervised)))
    const lines = () => supervised.log().filter(({ pid }) => pid === stuck)
    await until(() => lines().length === 2)
    assert.deepEqual(
      lines().map(({ msg }) => msg),
      ['worker does not respond, killing it', 'worker exited, restarting'],
    )
  })

  it('is left alone where it is blocked for a shorter time', async (t) => {
    const limits = { heartbeat: { intervalMs: 500, missedMax: 15 } }
    const supervised = await supervise(t, limits)
    const before = supervised.workers()

    const answers = await Promise.all([ask(supervised, '/block'), ask(supervised, '/block')])

    assert.deepEqual(answers, ['unblocked', 'unblocked'])
    assert.deepEqual(supervised.workers(), before)
  })

  it('is none where the supervisor itself, or all of them, were stopped', async (t) => {
    const supervised = await supervise(t, { heartbeat: { intervalMs: 50, missedMax: 20 } })
    const before = supervised.workers()
    const all = [supervised.pid, ...before]

    for (const stopped of [all.slice(0, 1), all]) {
      for (const pid of stopped) process.kill(pid, 'SIGSTOP')
      // Longer than a worker may be silent.
      await wait(1500)
      for (const pid of stopped) process.kill(pid, 'SIGCONT')
      assert.ok(isAnswer(await ask(supervised)))
    }

    assert.deepEqual(supervised.workers(), before)
    assert.deepEqual(
      supervised.log().filter(({ msg }) => msg !== 'request'),
      [],
    )
  })
})

describe('connections that a worker was given', { concurrency: 3 }, () => {
  it('are answered by another where it dies before it has taken them', async (t) => {
    const supervised = await supervise(t)
    const [stuck = 0] = supervised.workers()
    process.kill(stuck, 'SIGSTOP')
    const descriptors = () => readdirSync(`/proc/${supervised.pid}/fd`).length
    const before = descriptors()

    const answers = Promise.all(Array.from({ length: 10 }, () => ask(supervised)))
    // One is with the worker that is stuck, the others are answered.
    await until(() => descriptors() > before)
    process.kill(stuck, 'SIGKILL')

    assert.equal((await answers).filter(isAnswer).length, 10)
    await until(() => supervised.workers().length === 2)
    await until(() => descriptors() <= before)
  })

  it('are closed, or answered by a new worker, where every worker dies', async (t) => {
    const supervised = await supervise(t)
    for (const pid of supervised.workers()) process.kill(pid, 'SIGSTOP')
    const descriptors = () => readdirSync(`/proc/${supervised.pid}/fd`).length
    const before = descriptors()

    const answers = Promise.all(Array.from({ length: 10 }, () => ask(supervised)))
    await until(() => descriptors() >= before + 10)
    for (const pid of supervised.workers()) process.kill(pid, 'SIGKILL')

    for (const answer of await answers) assert.ok(isAnswer(answer) || answer === 'ECONNRESET')
    await until(() => supervised.workers().length === 2)
    await until(() => descriptors() <= before)
  })
})

describe('workers that die again and again', () => {
  it('are replaced at once the first two times, then after a growing delay, each in its own place', async (t) => {
    const supervised = await supervise(t, { restartDelayMs: 10, restartDelayMaxMs: 40 })
    const [survivor = 0] = supervised.workers()
    const delays = () => supervised.log().map(({ delayMs }) => delayMs)

    for (const deaths of [1, 2, 3, 4, 5, 6]) {
      const victim = supervised.workers().find((pid) => pid !== survivor) ?? 0
      process.kill(victim, 'SIGKILL')
      await until(() => delays().length === deaths && supervised.workers().length === 2)
    }
    process.kill(survivor, 'SIGKILL')
    await until(() => delays().length === 7)

    assert.deepEqual(delays(), [0, 0, 10, 20, 40, 40, 0])
  })

  it('are replaced at once again after one has settled', async (t) => {
    const supervised = await supervise(t, { settledMs: 0 })

    for (const deaths of [1, 2, 3, 4]) {
      process.kill(supervised.workers()[0] ?? 0, 'SIGKILL')
      await until(() => supervised.log().length === deaths && supervised.workers().length === 2)
    }

    assert.deepEqual(
      supervised.log().map(({ delayMs }) => delayMs),
      [0, 0, 0, 0],
    )
  })

  it('do not keep other requests from being answered', async (t) => {
    const supervised = await supervise(t)

    for (let crashes = 0; crashes < 5; crashes += 1) {
      const answering = new Set<string>()
      while (answering.size < 2) answering.add(await ask(supervised))
      assert.ok([...answering].every(isAnswer))
      await ask(supervised, '/crash')
    }
  })
})
