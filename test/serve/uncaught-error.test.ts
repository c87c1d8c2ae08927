import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { openDeployment } from '../support/deployment.ts'
import { describeOnce, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import type { Flags } from '../support/process.ts'
import { until } from '../support/until.ts'
import { beginRequest, completeRequest, readToEnd, searchPath } from './begun-request.ts'
import { startTraffic, untilRefused } from './traffic.ts'

/** Starts a provider whose processes throw at SIGALRM, and have an unhandled rejection at SIGIO. */
async function startFailing(scope: Scope, flags: Flags) {
  const module = join(await temporaryFolder(scope), 'fail.mjs')
  const throwing = `process.on('SIGALRM', () => { throw new Error() })`
  const rejecting = `process.on('SIGIO', () => { Promise.reject(new Error()) })`
  writeFileSync(module, [throwing, rejecting].join('\n'))
  const deployment = await openDeployment(scope)
  const served = await deployment.startProvider(flags, { nodeFlags: ['--import', module] })
  const logged = (message: string) => served.log().filter(({ msg }) => msg === message)
  return { deployment, served, logged }
}

const uncaught = 'uncaught error'

describeOnce('an uncaught error in a worker', () => {
  it('is logged and ends it with status 1 after its replacement is ready, and no request fails', async (t) => {
    const { deployment, served, logged } = await startFailing(t, { workers: '2' })
    const [failing = 0, other = 0] = served.workers()
    const traffic = startTraffic(deployment, served)
    await traffic.more(20)
    const begun = await Promise.all(
      Array.from({ length: 4 }, () => beginRequest(served, deployment.mint(searchPath))),
    )

    process.kill(failing, 'SIGALRM')
    await until(() => logged(uncaught).length === 1, served.stderr)
    for (const socket of begun) {
      assert.match(await completeRequest(socket), /^HTTP\/1\.1 200 OK\r\n/)
      socket.destroy()
    }
    const exited = 'worker exited after its replacement was started'
    await until(() => logged(exited).length === 1, served.stderr)
    await traffic.more(20)

    assert.deepEqual(await traffic.stop(), [])
    const [line] = logged(exited)
    assert.deepEqual([line?.['pid'], line?.['status']], [failing, 1])
    const after = served.workers()
    assert.equal(after.length, 2)
    assert.ok(after.includes(other) && !after.includes(failing))
    assert.equal(logged(uncaught).length, 1)
    assert.equal(logged('in-flight requests aborted at shutdown').length, 0)
    assert.equal(await served.stop(), 0)
  })

  it('does not keep the supervisor from stopping while the replacement starts', async (t) => {
    const { served, logged } = await startFailing(t, { workers: '2' })

    for (const pid of served.workers()) process.kill(pid, 'SIGIO')
    await until(() => logged(uncaught).length === 2, served.stderr)

    assert.equal(await served.stop(), 0)
  })
})

describeOnce('an uncaught error in a single process', () => {
  for (const signal of ['SIGALRM', 'SIGIO'] as const) {
    it(`ends it with status 1 after its in-flight requests: ${signal}`, async (t) => {
      const { deployment, served, logged } = await startFailing(t, { workers: '1' })
      const socket = await beginRequest(served, deployment.mint(searchPath))

      served.child.kill(signal)
      await untilRefused(served)

      assert.match(await completeRequest(socket), /^HTTP\/1\.1 200 OK\r\n/)
      assert.equal(await served.ended, 1)
      assert.equal(logged(uncaught).length, 1)
    })
  }

  it('ends it even if a request takes longer, and logs how many were aborted', async (t) => {
    const flags = { workers: '1', 'shutdown-timeout': '3600' }
    const { deployment, served, logged } = await startFailing(t, flags)
    const socket = await beginRequest(served, deployment.mint(searchPath))

    served.child.kill('SIGALRM')

    assert.equal(await readToEnd(socket), '')
    assert.equal(await served.ended, 1)
    assert.equal(logged('in-flight requests aborted at shutdown')[0]?.['requests'], 1)
  })

  it('ends it without waiting for requests if a second one follows', async (t) => {
    const { deployment, served, logged } = await startFailing(t, { workers: '1' })
    const socket = await beginRequest(served, deployment.mint(searchPath))

    served.child.kill('SIGALRM')
    await until(() => logged(uncaught).length === 1, served.stderr)
    served.child.kill('SIGIO')

    assert.equal(await readToEnd(socket), '')
    assert.equal(await served.ended, 1)
    assert.equal(logged(uncaught).length, 2)
    assert.equal(logged('in-flight requests aborted at shutdown').length, 0)
  })
})
