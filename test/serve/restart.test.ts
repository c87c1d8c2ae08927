import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { makeAuthority } from '../support/certificates.ts'
import { openDeployment } from '../support/deployment.ts'
import { describeOn, describeOnce } from '../support/engines.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import { ask, countOccurrences, startTraffic } from './traffic.ts'

const replaced = 'all workers were replaced'

describeOnce('SIGUSR2', () => {
  it('replaces the workers one by one without dropping a request', async (t) => {
    const deployment = await openDeployment(t)
    const served = await deployment.startProvider({ workers: '2' })
    const before = served.workers()
    const traffic = startTraffic(deployment, served)
    await traffic.more(50)

    for (const turn of [1, 2]) {
      served.child.kill('SIGUSR2')
      await until(() => countOccurrences(served.stderr(), replaced) === turn, served.stderr)
      await traffic.more(50)
    }

    assert.deepEqual(await traffic.stop(), [])
    assert.doesNotMatch(served.stderr(), /warning/)
    const after = served.workers()
    assert.equal(after.length, 2)
    assert.deepEqual(
      after.filter((pid) => before.includes(pid)),
      [],
    )
  })

  it('keeps the workers while the platform’s keys are unreachable', async (t) => {
    const deployment = await openDeployment(t)
    const served = await deployment.startProvider({ workers: '2' })
    const before = served.workers()
    const traffic = startTraffic(deployment, served)
    await traffic.more(50)
    await deployment.keyServer.stop()

    served.child.kill('SIGUSR2')
    await until(() => served.stderr().includes('a new worker has no keys'), served.stderr)
    await traffic.more(50)

    assert.deepEqual(await traffic.stop(), [])
    assert.deepEqual(served.workers(), before)
  })
})

describeOn('sqlite', 'SIGUSR2 over https', () => {
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

describeOn('sqlite', 'a worker that hangs', () => {
  it('is killed and replaced while the other workers serve requests', async (t) => {
    const deployment = await openDeployment(t)
    const served = await deployment.startProvider({ workers: '2' })
    const [hung = 0] = served.workers()

    process.kill(hung, 'SIGSTOP')
    await until(() => served.stderr().includes('"msg":"worker exited, restarting"'), served.stderr)
    await until(() => served.workers().length === 2)

    assert.match(served.stderr(), new RegExp(`"pid":${hung},"msg":"worker does not respond`))
    assert.ok(!served.workers().includes(hung))
    assert.equal((await ask(served, deployment.mint(accountsPath))).status, 200)
  })
})

describeOn('sqlite', 'a server without workers', () => {
  it('ignores SIGUSR2', async (t) => {
    const deployment = await openDeployment(t)
    const served = await deployment.startProvider({ 'log-level': 'info' })

    served.child.kill('SIGUSR2')
    await until(() => served.stderr().includes('nothing to replace'), served.stderr)

    assert.equal((await ask(served, deployment.mint(accountsPath))).status, 200)
  })
})
