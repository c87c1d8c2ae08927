import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { it } from 'node:test'
import { openDeployment } from '../support/deployment.ts'
import { describe, describeOnce } from '../support/engines.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import { accountsPage, openRawUpstream, openUpstream, rawResponse } from '../support/upstream.ts'

describeOnce('a guard that is stopped', () => {
  it('completes requests that the upstream still works on', async (t) => {
    const waiting: Socket[] = []
    const upstream = await openRawUpstream(t, (socket) => waiting.push(socket))
    const deployment = await openDeployment(t)
    const server = await deployment.startGuard({ upstream: upstream.address })
    const asked = deployment.ask(server, accountsPath)
    await until(() => waiting.length === 1)

    const stopped = server.stop()
    await until(() =>
      fetch(server.address).then(
        () => false,
        () => true,
      ),
    )
    waiting[0]?.write(rawResponse(accountsPage))

    const response = await asked
    assert.deepEqual([response.status, await response.text()], [200, accountsPage])
    assert.equal(await stopped, 0)
  })

  it('ends after the shutdown timeout if the upstream never responds', async (t) => {
    const upstream = await openRawUpstream(t)
    const deployment = await openDeployment(t)
    const server = await deployment.startGuard({
      upstream: upstream.address,
      'shutdown-timeout': '1',
    })
    const asked = deployment.ask(server, accountsPath)
    asked.catch(() => {})
    await until(() => upstream.requestLines.length === 1)

    assert.equal(await server.stop(), 0)

    await assert.rejects(asked)
    assert.match(server.output(), /in-flight requests aborted at shutdown/)
  })
})

describe('a guard that is killed', () => {
  it('does not forward a request again that was forwarded before', async (t) => {
    const upstream = await openUpstream(t)
    const deployment = await openDeployment(t)
    const headers = { authorization: `Bearer ${deployment.mint(accountsPath)}` }
    const flags = { upstream: upstream.address }
    const first = await deployment.startGuard(flags)
    assert.equal((await fetch(first.address + accountsPath, { headers })).status, 200)
    await first.kill()

    const second = await deployment.startGuard(flags)
    const replayed = await fetch(second.address + accountsPath, { headers })

    assert.equal(replayed.status, 401)
    assert.equal(upstream.requests.length, 1)
  })
})
