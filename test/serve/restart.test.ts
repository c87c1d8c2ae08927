import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { openTown } from '../auth/processes.ts'
import { accountsPath } from '../auth/world.ts'
import { makeAuthority } from '../support/certificates.ts'
import { describe, describeOn } from '../support/engines.ts'
import { childrenOf } from '../support/processes.ts'
import { ask, startTraffic, timesIn, until } from './traffic.ts'

const replaced = 'every worker was replaced'

describe('workers that are replaced one by one', () => {
  it('drop no request, neither on kept connections nor on new ones', async (t) => {
    const town = await openTown(t)
    const served = await town.startProvider({ workers: '2' })
    const before = childrenOf(served.child.pid)
    const traffic = startTraffic(town, served)
    await traffic.more(50)

    for (const turn of [1, 2]) {
      served.child.kill('SIGUSR2')
      await until(() => timesIn(served.said(), replaced) === turn, served.said)
      await traffic.more(50)
    }

    assert.deepEqual(await traffic.stop(), [])
    assert.doesNotMatch(served.said(), /warning/)
    const after = childrenOf(served.child.pid)
    assert.equal(after.length, 2)
    assert.deepEqual(
      after.filter((pid) => before.includes(pid)),
      [],
    )
  })

  it('stay where the platform’s keys are away, since new ones would have none', async (t) => {
    const town = await openTown(t)
    const served = await town.startProvider({ workers: '2' })
    const before = childrenOf(served.child.pid)
    const traffic = startTraffic(town, served)
    await traffic.more(50)
    await town.keyServer.leave()

    served.child.kill('SIGUSR2')
    await until(() => served.said().includes('a new worker has no keys'), served.said)
    await traffic.more(50)

    assert.deepEqual(await traffic.stop(), [])
    assert.deepEqual(childrenOf(served.child.pid), before)
  })
})

describeOn('sqlite', 'workers over https', () => {
  it('are replaced without a dropped request, and stay where new ones cannot start', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-restart-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const authority = makeAuthority('Authority of the bank')
    const { cert, key } = authority.issue('bank')
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    writeFileSync(certFile, cert)
    writeFileSync(keyFile, key)
    const town = await openTown(t)
    const served = await town.startProvider({
      workers: '2',
      'tls-cert': certFile,
      'tls-key': keyFile,
    })
    const traffic = startTraffic(town, served, { ca: authority.cert })
    await traffic.more(50)

    served.child.kill('SIGUSR2')
    await until(() => served.said().includes(replaced), served.said)
    writeFileSync(keyFile, 'not a key')
    const before = childrenOf(served.child.pid)
    served.child.kill('SIGUSR2')
    await until(() => served.said().includes('a new worker did not start'), served.said)
    await traffic.more(50)

    assert.deepEqual(await traffic.stop(), [])
    assert.deepEqual(childrenOf(served.child.pid), before)
    assert.match(served.said(), /--tls-key: \S+ has no private key that can be read/)
  })
})

describeOn('sqlite', 'a worker that is stuck', () => {
  it('is killed and replaced, while the others answer', async (t) => {
    const town = await openTown(t)
    const served = await town.startProvider({ workers: '2' })
    const [stuck = 0] = childrenOf(served.child.pid)

    process.kill(stuck, 'SIGSTOP')
    await until(() => served.said().includes('"msg":"worker ended, starting another"'), served.said)
    await until(() => childrenOf(served.child.pid).length === 2)

    assert.match(served.said(), new RegExp(`"pid":${stuck},"msg":"worker does not respond`))
    assert.ok(!childrenOf(served.child.pid).includes(stuck))
    assert.equal((await ask(served, town.mint(accountsPath), false)).status, 200)
  })
})

describeOn('sqlite', 'a server without workers', () => {
  it('goes on when it is told to replace them', async (t) => {
    const town = await openTown(t)
    const served = await town.startProvider({ 'log-level': 'info' })

    served.child.kill('SIGUSR2')
    await until(() => served.said().includes('nothing to replace'), served.said)

    assert.equal((await ask(served, town.mint(accountsPath), false)).status, 200)
  })
})
