import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { it } from 'node:test'
import { type Deployment, openDeployment } from '../support/deployment.ts'
import { describe, describeOnce } from '../support/engines.ts'
import { sendSignal } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import { beginRequest, completeRequest, searchPath as path, readToEnd } from './begun-request.ts'
import { ask, openAgent, untilRefused } from './traffic.ts'

type Signal = 'SIGTERM' | 'SIGINT'

/** Asserts a graceful shutdown during a request, and returns the used token of the request. */
async function assertGraceful(
  deployment: Deployment,
  workers: string,
  signal: Signal,
): Promise<string> {
  // Far longer than the test: nothing but the request delays the exit.
  const flags = { workers, 'shutdown-timeout': '3600' }
  const served = await deployment.startProvider(flags)
  const token = deployment.mint(path)
  const agent = openAgent(served)
  assert.equal((await ask(served, deployment.mint(accountsPath), agent)).status, 200)
  const idle = connect(served.port, '127.0.0.1')
  idle.on('error', () => {})
  await once(idle, 'connect')
  const socket = await beginRequest(served, token)

  // Like a terminal, which signals all processes.
  for (const child of served.workers()) process.kill(child, signal)
  served.child.kill(signal)
  await untilRefused(served)
  const closed = readToEnd(socket)
  await completeRequest(socket)
  const answer = await closed

  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(answer, /\r\nconnection: close\r\n/i)
  assert.match(answer, /"id":"c1"/)
  assert.equal(await served.ended, 0)
  agent.destroy()
  return token
}

const graceful =
  'stops accepting connections, completes in-flight requests, does not wait for idle connections and exits with 0'

describe('a stop signal to a server', () => {
  it(`${graceful}, and tokens stay used after a restart`, async (t) => {
    const deployment = await openDeployment(t)
    const token = await assertGraceful(deployment, '1', 'SIGTERM')

    const next = await deployment.openProvider()
    const replay = await beginRequest(next, token)

    assert.match(await completeRequest(replay), /^HTTP\/1\.1 401 /)
    replay.destroy()
  })
})

describeOnce('a stop signal to a server with workers', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`${graceful}: ${signal}`, async (t) => {
      await assertGraceful(await openDeployment(t), '2', signal)
    })
  }
})

for (const workers of ['1', '2']) {
  describeOnce(`a stop signal to a server with ${workers} worker(s)`, () => {
    it('exits with 0 after the shutdown timeout, and logs how many requests were aborted', async (t) => {
      const deployment = await openDeployment(t)
      const served = await deployment.startProvider({ workers, 'shutdown-timeout': '1' })
      const socket = await beginRequest(served, deployment.mint(path))

      served.child.kill('SIGINT')
      const answer = await readToEnd(socket)

      assert.equal(answer, '')
      assert.equal(await served.ended, 0)
      assert.match(served.stderr(), /"requests":1,"msg":"in-flight requests aborted at shutdown"/)
    })

    it('ends the server immediately when it is repeated', async (t) => {
      const deployment = await openDeployment(t)
      const served = await deployment.startProvider({ workers, 'shutdown-timeout': '3600' })
      const socket = await beginRequest(served, deployment.mint(path))

      served.child.kill('SIGTERM')
      await untilRefused(served)
      served.child.kill('SIGTERM')

      assert.equal(await readToEnd(socket), '')
      assert.equal(await served.ended, 1)
    })
  })
}

describeOnce('a supervisor that is killed', () => {
  it('stops its workers, so that the next server can use the port', async (t) => {
    const deployment = await openDeployment(t)
    const served = await deployment.startProvider({ workers: '2' })
    const workers = served.workers()
    assert.equal(workers.length, 2)

    await served.kill()
    await until(() => workers.every((pid) => !sendSignal(pid, 0)))
    const next = await deployment.openProvider({ port: String(served.port) })

    assert.equal((await ask(next, deployment.mint(accountsPath))).status, 200)
  })
})
