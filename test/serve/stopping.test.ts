import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it, type TestContext } from 'node:test'
import { openDeployment } from '../support/deployment.ts'
import { describeOn, describeOnce } from '../support/engines.ts'
import { type Server, sendSignal } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import { ask, openCaller, untilRefused } from './traffic.ts'

const path = '/auth/v1/customer/search'
const body = JSON.stringify({ email: 'ana@example.com' })
const half = body.length / 2

/** A request of which the last half is still to come. */
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
  // It says so when it has read the head: from there on the request is under way.
  await once(socket, 'data')
  return socket
}

/** All that the server still says. */
async function rest(socket: Socket): Promise<string> {
  let said = ''
  socket.on('data', (chunk) => {
    said += chunk
  })
  await once(socket, 'close')
  return said
}

type Signal = 'SIGTERM' | 'SIGINT'

async function assertGraceful(t: TestContext, workers: string, signal: Signal): Promise<void> {
  const deployment = await openDeployment(t)
  const served = await deployment.startProvider({ workers })
  const token = deployment.mint(path)
  const socket = await beginRequest(served, token)

  // As a terminal does it: to all of the processes.
  for (const child of served.workers()) process.kill(child, signal)
  served.child.kill(signal)
  await untilRefused(served)
  socket.write(body.slice(half))
  const answer = await rest(socket)

  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(answer, /\r\nconnection: close\r\n/i)
  assert.match(answer, /"id":"c1"/)
  assert.equal(await served.ended, 0)
  // What it answered is spent for whoever comes after it.
  const next = await deployment.startProvider()
  const replay = await beginRequest(next, token)
  replay.write(body.slice(half))
  assert.match(String((await once(replay, 'data'))[0]), /^HTTP\/1\.1 401 /)
  replay.destroy()
}

describeOn('postgres', 'a server that is told to stop', () => {
  it('takes nothing new, finishes what is under way and ends with 0', (t) =>
    assertGraceful(t, '2', 'SIGTERM'))
})

for (const workers of ['1', '2']) {
  describeOnce(`a server of ${workers} process(es) that is told to stop`, () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      it(`by ${signal} takes nothing new, finishes what is under way and ends with 0`, (t) =>
        assertGraceful(t, workers, signal))
    }

    it('waits for no connection on which nobody asks', async (t) => {
      const deployment = await openDeployment(t)
      const served = await deployment.startProvider({ workers, 'shutdown-timeout': '3600' })
      const agent = openCaller(served)
      t.after(() => agent.destroy())
      const silent = connect(served.port, '127.0.0.1')
      silent.on('error', () => {})
      await once(silent, 'connect')
      assert.equal((await ask(served, deployment.mint(accountsPath), agent)).status, 200)

      served.child.kill('SIGTERM')

      assert.equal(await served.ended, 0)
    })

    it('ends with 0 when the time is over, and says what it left', async (t) => {
      const deployment = await openDeployment(t)
      const served = await deployment.startProvider({ workers, 'shutdown-timeout': '1' })
      const socket = await beginRequest(served, deployment.mint(path))

      served.child.kill('SIGTERM')
      const answer = await rest(socket)

      assert.equal(answer, '')
      assert.equal(await served.ended, 0)
      assert.match(served.stderr(), /"requests":1,"msg":"in-flight requests aborted at shutdown"/)
    })

    it('a second time ends at once', async (t) => {
      const deployment = await openDeployment(t)
      const served = await deployment.startProvider({ workers, 'shutdown-timeout': '3600' })
      const socket = await beginRequest(served, deployment.mint(path))

      served.child.kill('SIGTERM')
      await untilRefused(served)
      served.child.kill('SIGTERM')

      assert.equal(await rest(socket), '')
      assert.equal(await served.ended, 1)
    })
  })
}

describeOn('sqlite', 'a supervisor that is killed', () => {
  it('takes its workers along, and the next one takes the port', async (t) => {
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
