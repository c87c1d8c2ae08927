import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type SupervisionLimits, supervisionLimits } from '../../src/server/workers.ts'
import { createScope, type Scope } from '../support/engines.ts'
import { type Server, sendSignal, startListening } from '../support/process.ts'
import { until } from '../support/until.ts'

const program = fileURLToPath(new URL('supervised.ts', import.meta.url))

/** No worker counts as hung, unless a test sets other limits. */
const lenient = { intervalMs: 50, missedMax: 100_000 }

async function supervise(
  scope: Scope,
  overrides: Partial<SupervisionLimits> = {},
): Promise<Server> {
  const limits = { ...supervisionLimits, heartbeat: lenient, ...overrides }
  const inner = createScope(scope)
  const supervised = await startListening(inner, [
    process.execPath,
    program,
    JSON.stringify(limits),
  ])
  // Stopped workers would not exit with their supervisor.
  inner.after(async () => {
    for (const pid of supervised.workers()) sendSignal(pid, 'SIGKILL')
  })
  return supervised
}

let shared: Promise<Server> | undefined
const closing = createScope({ after })

/** Restarts workers immediately however often they die, so that a test leaves it as it was. */
function openShared(): Promise<Server> {
  shared ??= supervise(closing, { settledMs: 0 })
  return shared
}

/** Sends a request on a new connection. Returns the response, or the code of the error. */
function ask({ address }: Server, path = '/'): Promise<string> {
  return new Promise((resolve) => {
    get(address + path, { agent: false }, (response) => {
      text(response).then(resolve, (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
  })
}

const isProcessId = (response: string) => /^\d+$/.test(response)

describe('a worker that hangs', { concurrency: 3 }, () => {
  const heartbeat = { intervalMs: 100, missedMax: 15 }

  it('is killed soon enough to be replaced within ten seconds', () => {
    const { intervalMs, missedMax } = supervisionLimits.heartbeat

    assert.ok(intervalMs * (missedMax + 1) <= 8000)
    assert.ok(supervisionLimits.immediateRestarts > 0)
  })

  it('is replaced when its process is stopped', async (t) => {
    const supervised = await supervise(t, { heartbeat })
    const [hung = 0] = supervised.workers()

    process.kill(hung, 'SIGSTOP')
    await until(() => !supervised.workers().includes(hung) && supervised.workers().length === 2)

    assert.ok(isProcessId(await ask(supervised)))
    const lines = () => supervised.log().filter(({ pid }) => pid === hung)
    await until(() => lines().length === 2)
    assert.deepEqual(
      lines().map(({ msg }) => msg),
      ['worker does not respond, killing it', 'worker exited, restarting'],
    )
  })

  it('is not replaced if it is blocked for a shorter time', async (t) => {
    const limits = { heartbeat: { intervalMs: 500, missedMax: 15 } }
    const supervised = await supervise(t, limits)
    const before = supervised.workers()

    const responses = await Promise.all([ask(supervised, '/block'), ask(supervised, '/block')])

    assert.deepEqual(responses, ['unblocked', 'unblocked'])
    assert.deepEqual(supervised.workers(), before)
  })

  it('is not assumed after the supervisor, or all processes, were suspended', async (t) => {
    const supervised = await supervise(t, { heartbeat: { intervalMs: 100, missedMax: 20 } })
    const before = supervised.workers()
    const all = [supervised.pid, ...before]

    for (const stopped of [all.slice(0, 1), all]) {
      for (const pid of stopped) process.kill(pid, 'SIGSTOP')
      // Longer than the heartbeat limit of a worker.
      await wait(2500)
      for (const pid of stopped) process.kill(pid, 'SIGCONT')
      assert.ok(isProcessId(await ask(supervised)))
    }

    assert.deepEqual(supervised.workers(), before)
    assert.deepEqual(
      supervised.log().filter(({ msg }) => msg !== 'request'),
      [],
    )
  })
})

describe('connections that were passed to a worker', () => {
  it('are served by another worker if it dies before it accepts them', async () => {
    const supervised = await openShared()
    const [hung = 0] = supervised.workers()
    process.kill(hung, 'SIGSTOP')
    const descriptors = () => readdirSync(`/proc/${supervised.pid}/fd`).length
    const before = descriptors()

    const responses = Promise.all(Array.from({ length: 10 }, () => ask(supervised)))
    // One connection is at the hung worker; the others are served.
    await until(() => descriptors() > before)
    process.kill(hung, 'SIGKILL')

    assert.equal((await responses).filter(isProcessId).length, 10)
    await until(() => supervised.workers().length === 2)
    await until(() => descriptors() <= before)
  })

  it('are closed, or served by a new worker, if every worker dies', async (t) => {
    // Not the shared one: without a worker, a port that the system has chosen is lost.
    const supervised = await supervise(t)
    for (const pid of supervised.workers()) process.kill(pid, 'SIGSTOP')
    const descriptors = () => readdirSync(`/proc/${supervised.pid}/fd`).length
    const before = descriptors()

    const responses = Promise.all(Array.from({ length: 10 }, () => ask(supervised)))
    await until(() => descriptors() >= before + 10)
    for (const pid of supervised.workers()) process.kill(pid, 'SIGKILL')

    for (const response of await responses)
      assert.ok(isProcessId(response) || response === 'ECONNRESET')
    await until(() => supervised.workers().length === 2)
    await until(() => descriptors() <= before)
  })
})

describe('workers that die repeatedly', () => {
  it('are restarted immediately twice, then after an increasing delay, counted per worker', async (t) => {
    const supervised = await supervise(t, { restartDelayMs: 10, restartDelayMaxMs: 40 })
    const [survivor = 0] = supervised.workers()
    const delays = () => supervised.log().map(({ delayMs }) => delayMs)

    for (const deaths of [1, 2, 3, 4, 5, 6]) {
      const killed = supervised.workers().find((pid) => pid !== survivor) ?? 0
      process.kill(killed, 'SIGKILL')
      await until(() => delays().length === deaths && supervised.workers().length === 2)
    }
    process.kill(survivor, 'SIGKILL')
    await until(() => delays().length === 7)

    assert.deepEqual(delays(), [0, 0, 10, 20, 40, 40, 0])
  })

  it('are replaced with the same delays if an uncaught error ends them', async (t) => {
    const limits = { settledMs: 600_000, restartDelayMs: 10, restartDelayMaxMs: 20 }
    const supervised = await supervise(t, limits)
    const [survivor = 0] = supervised.workers()
    const starts = () => supervised.log().filter(({ delayMs }) => delayMs !== undefined)
    const exits = () => supervised.log().filter(({ status }) => status !== undefined)

    for (const failures of [1, 2, 3, 4, 5]) {
      let failing = survivor
      await until(async () => {
        failing = Number(await ask(supervised))
        return failing !== survivor
      })
      process.kill(failing, 'SIGALRM')
      await until(() => exits().length === failures && supervised.workers().length === 2)
    }

    assert.deepEqual(
      starts().map(({ delayMs }) => delayMs),
      [0, 0, 10, 20, 20],
    )
    assert.deepEqual(
      exits().map(({ status }) => status),
      [1, 1, 1, 1, 1],
    )
  })

  it('are restarted immediately again after a worker has run long enough', async () => {
    const supervised = await openShared()
    const delays: unknown[] = []

    for (const _ of ['first', 'second', 'third']) {
      const killed = supervised.workers().at(-1) ?? 0
      const found = () => supervised.log().find(({ pid }) => pid === killed)
      process.kill(killed, 'SIGKILL')
      await until(() => found() !== undefined && supervised.workers().length === 2)
      delays.push(found()?.['delayMs'])
    }

    assert.deepEqual(delays, [0, 0, 0])
  })

  it('do not affect other requests', async () => {
    const supervised = await openShared()

    for (let crashes = 0; crashes < 3; crashes += 1) {
      const pids = new Set<string>()
      await until(async () => pids.add(await ask(supervised)).size === 2)
      assert.ok([...pids].every(isProcessId))
      await ask(supervised, '/crash')
    }
  })
})
