import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { makeAuthority } from '../support/certificates.ts'
import { openDeployment } from '../support/deployment.ts'
import { describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import { ask, startTraffic } from './traffic.ts'

const replaced = 'all workers were replaced'

/** Two workers. Each test leaves as many in service. */
const openShared = shareOnEachEngine(async (scope) => {
  const deployment = await openDeployment(scope)
  return { deployment, served: await deployment.startProvider({ workers: '2' }) }
})

describeOnce('SIGUSR2', () => {
  it('replaces the workers one by one without dropping a request', async () => {
    const { deployment, served } = await openShared()
    const before = served.workers()
    const printed = served.stderr().length
    const traffic = startTraffic(deployment, served)
    await traffic.more(50)

    served.child.kill('SIGUSR2')
    await until(() => served.stderr().includes(replaced), served.stderr)
    await traffic.more(50)

    assert.deepEqual(await traffic.stop(), [])
    assert.doesNotMatch(served.stderr().slice(printed), /warning/)
    const after = served.workers()
    assert.equal(after.length, 2)
    assert.deepEqual(
      after.filter((pid) => before.includes(pid)),
      [],
    )
  })

  it('keeps the workers while the platform’s keys are unreachable', async (t) => {
    const { deployment, served } = await openShared()
    const before = served.workers()
    const traffic = startTraffic(deployment, served)
    await traffic.more(50)
    await deployment.keyServer.stop()
    t.after(() => deployment.keyServer.restart())

    served.child.kill('SIGUSR2')
    await until(() => served.stderr().includes('a new worker has no keys'), served.stderr)
    await traffic.more(50)

    assert.deepEqual(await traffic.stop(), [])
    assert.deepEqual(served.workers(), before)
  })
})

describeOnce('a worker that hangs', () => {
  it('is killed and replaced while the other workers serve requests', async () => {
    const { deployment, served } = await openShared()
    const [hung = 0] = served.workers()

    process.kill(hung, 'SIGSTOP')
    await until(() => served.stderr().includes('"msg":"worker exited, restarting"'), served.stderr)
    await until(() => served.workers().length === 2)

    assert.match(served.stderr(), new RegExp(`"pid":${hung},"msg":"worker does not respond`))
    assert.ok(!served.workers().includes(hung))
    assert.equal((await ask(served, deployment.mint(accountsPath))).status, 200)
  })
})

describeOnce('SIGUSR2 over https', () => {
  it('replaces the workers without dropping a request, and keeps them if new ones cannot start', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-restart-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const authority = makeAuthority('Bank CA')
    const { cert, key } = authority.issue('bank')
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    writeFileSync(certFile, cert)
    writeFileSync(keyFile, key)
    const deployment = await openDeployment(t)
    const served = await deployment.startProvider({
      workers: '2',
      'tls-cert': certFile,
      'tls-key': keyFile,
    })
    const traffic = startTraffic(deployment, served, { ca: authority.cert })
    await traffic.more(50)

    served.child.kill('SIGUSR2')
    await until(() => served.stderr().includes(replaced), served.stderr)
    writeFileSync(keyFile, 'not a key')
    const before = served.workers()
    served.child.kill('SIGUSR2')
    await until(() => served.stderr().includes('a new worker did not start'), served.stderr)
    await traffic.more(50)

    assert.deepEqual(await traffic.stop(), [])
    assert.deepEqual(served.workers(), before)
    assert.match(served.stderr(), /--tls-key: \S+ contains no valid private key/)
  })
})

describeOnce('a server without workers and certificates', () => {
  it('continues after SIGUSR2 and SIGHUP', async (t) => {
    const deployment = await openDeployment(t)
    const served = await deployment.startProvider({ 'log-level': 'info' })

    served.child.kill('SIGUSR2')
    await until(() => served.stderr().includes('nothing to replace'), served.stderr)
    served.child.kill('SIGHUP')
    await until(() => served.stderr().includes('nothing to reload'), served.stderr)

    assert.equal((await ask(served, deployment.mint(accountsPath))).status, 200)
  })
})
