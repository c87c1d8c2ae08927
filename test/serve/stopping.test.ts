import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it, type TestContext } from 'node:test'
import { openDeployment } from '../support/deployment.ts'
import { describeOn, describeOnce } from '../support/engines.ts'
import { type Server, sendSignal } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import { ask, openAgent, untilRefused } from './traffic.ts'

const path = '/auth/v1/customer/search'
const body = JSON.stringify({ email: 'ana@example.com' })
const half = body.length / 2

/** Sends a request without the second half of its body. */
async function beginRequest({ port }: Server, token: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: bank.example',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, half)}`)
  // The server confirms that it has read the headers: from then on the request is in flight.
  await once(socket, 'data')
  return socket
}

/** Reads until the server closes the connection. */
async function readToEnd(socket: Socket): Promise<string> {
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  await once(socket, 'close')
  return received
}

type Signal = 'SIGTERM' | 'SIGINT'

async function assertGraceful(t: TestContext, workers: string, signal: Signal): Promise<void> {
  const deployment = await openDeployment(t)
  const served = await deployment.startProvider({ workers })
  const token = deployment.mint(path)
  const socket = await beginRequest(served, token)

  // Like a terminal, which signals all processes.
  for (const child of served.workers()) process.kill(child, signal)
  served.child.kill(signal)
  await untilRefused(served)
  socket.write(body.slice(half))
  const answer = await readToEnd(socket)

  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(answer, /\r\nconnection: close\r\n/i)
  assert.match(answer, /"id":"c1"/)
  assert.equal(await served.ended, 0)
  // The token stays used after a restart.
  const next = await deployment.startProvider()
  const replay = await beginRequest(next, token)
  replay.write(body.slice(half))
  assert.match(String((await once(replay, 'data'))[0]), /^HTTP\/1\.1 401 /)
  replay.destroy()
}

describeOn('postgres', 'a stop signal to a server', () => {
  it('stops accepting connections, completes in-flight requests and exits with 0', (t) =>
    assertGraceful(t, '2', 'SIGTERM'))
})

for (const workers of ['1', '2']) {
  describeOnce(`a stop signal to a server with ${workers} worker(s)`, () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      it(`stops accepting connections, completes in-flight requests and exits with 0: ${signal}`, (t) =>
        assertGraceful(t, workers, signal))
    }

    it('does not wait for idle connections', async (t) => {
      const deployment = await openDeployment(t)
      const served = await deployment.startProvider({ workers, 'shutdown-timeout': '3600' })
      const agent = openAgent(served)
      t.after(() => agent.destroy())
      const idle = connect(served.port, '127.0.0.1')
      idle.on('error', () => {})
      await once(idle, 'connect')
      assert.equal((await ask(served, deployment.mint(accountsPath), agent)).status, 200)

      served.child.kill('SIGTERM')

      assert.equal(await served.ended, 0)
    })

    it('exits with 0 after the shutdown timeout, and logs how many requests were aborted', async (t) => {
      const deployment = await openDeployment(t)
      const served = await deployment.startProvider({ workers, 'shutdown-timeout': '1' })
      const socket = await beginRequest(served, deployment.mint(path))

      served.child.kill('SIGTERM')
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

describeOn('sqlite', 'a supervisor that is killed', () => {
  it('stops its workers, so that the next server can use the port', async (t) => {
    const deployment = await openDeployment(t)
    const served = await deployment.startProvider({ workers: '2' })
    const workers = served.workers()
    assert.equal(workers.length, 2)

    await served.kill()
    await until(() => workers.every((pid) => !sendSignal(pid, 0)))
    const next = await deployment.startProvider({ workers: '2', port: String(served.port) })

    assert.equal((await ask(next, deployment.mint(accountsPath))).status, 200)
  })
})
